#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Words to the logic and back, by each of the ways; see loop.c."""

import numpy as np
from datra import COHERENT, FROM_LOGIC, STREAMING, TO_LOGIC, Dma, Fifo, connect, nodes, poke

CPU, DMA, ADDER, WORDS = 0, 1, 3, 1024
sent = np.arange(WORDS, dtype=np.uint32)

assert [node.type for node in nodes()][:2] == [2, 6]
poke(ADDER, 0, 1000)

connect(CPU, 0, ADDER, 0)
connect(ADDER, 0, CPU, 0)
with Fifo(0, TO_LOGIC) as out, Fifo(0, FROM_LOGIC) as back:
    out.reset()
    back.reset()
    for part in np.split(sent, 4):  # a loop holds some 1000 words
        out.write(part)
        assert (back.read(part.nbytes) == part + 1000).all()
print("fifo")

connect(DMA, 0, ADDER, 0)
connect(ADDER, 0, DMA, 0)
with Dma(0, TO_LOGIC) as out, Dma(0, FROM_LOGIC) as back:
    out.reset()
    back.reset()
    back.threshold(sent.nbytes)
    out.write(sent)
    assert (back.read(sent.nbytes) == sent + 1000).all()
    print("ring")
    for mode in (COHERENT, STREAMING):
        to, come = out.blocks(sent.nbytes, 2, mode), back.blocks(sent.nbytes, 2, mode)
        back.submit(0, sent.nbytes)
        to[0][:] = sent
        out.submit(0, sent.nbytes)
        assert out.wait()[0] == 0
        number, size, _ = back.wait()
        assert size == sent.nbytes
        assert (come[number] == sent + 1000).all()
        print("blocks", mode)
with Dma(0, TO_LOGIC) as out, Dma(0, FROM_LOGIC) as back:
    back.reset()
    back.timeout(1000)  # ends what does not fill a block
    out.standalone(sent.nbytes)[:] = sent
    out.start([(0, sent.nbytes, 0)])
    assert (back.read(sent.nbytes) == sent + 1000).all()
    while out.progress() != (1, 0, False):
        pass
print("standalone")
with Dma(0, TO_LOGIC) as out, Dma(0, FROM_LOGIC) as back:
    come = back.blocks(sent.nbytes, 2, STREAMING)
    out.write(sent)
    back.submit(1, sent.nbytes)
    assert back.wait()[0] == 1
    out.adopt([back.export(1)])  # what has come goes out again, uncopied
    back.submit(0, sent.nbytes)
    out.submit(0, sent.nbytes)
    assert back.wait()[0] == 0
    assert (come[0] == sent + 2000).all()
print("dma-buf")
poke(ADDER, 0, 0)
