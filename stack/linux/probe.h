/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding the nodes of a card, and the front ends that find cards. */
#ifndef DATRA_PROBE_H
#define DATRA_PROBE_H

struct datra_card;

int datra_card_probe(struct datra_card *card);
void datra_card_remove(struct datra_card *card);

int datra_pci_register(void);
void datra_pci_unregister(void);
int datra_platform_register(void);
void datra_platform_unregister(void);

#endif
