# SPDX-License-Identifier: Apache-2.0
#
# With ASYNC 1: Gray-code pointers and synchronisers between the clocks. Not built here.
set_max_skew -from [get_keepers -nowarn {*crossing.*|*_gray_reg[*]}] \
  -to [get_keepers -nowarn {*crossing.*|*_sync_reg[*]}] 4.0
set_max_delay -from [get_keepers -nowarn {*crossing.*|*_gray_reg[*]}] \
  -to [get_keepers -nowarn {*crossing.*|*_sync_reg[*]}] 4.0
set_min_delay -from [get_keepers -nowarn {*crossing.*|*_gray_reg[*]}] \
  -to [get_keepers -nowarn {*crossing.*|*_sync_reg[*]}] -4.0
set_false_path -to [get_keepers -nowarn {*interrupt|crossing.*_seen_reg[0]}]
set_false_path -to [get_keepers -nowarn {*interrupt|crossing.level_reg[0]}]
