# SPDX-License-Identifier: Apache-2.0
#
# With ASYNC 1: Gray-code pointers and synchronisers between the clocks. Not built here.
# A bus of pointer bits must not skew by a cycle of its writer; 4 ns suits clocks to 250 MHz.
set gray [get_cells -hier -quiet -filter {NAME =~ *crossing.*/*_gray_reg_reg*}]
set sync [get_cells -hier -quiet -filter {NAME =~ *crossing.*/*_sync_reg_reg*}]
if {[llength $gray] && [llength $sync]} {
  set_max_delay -datapath_only -from $gray -to $sync 4.0
  set_bus_skew -from $gray -to $sync 4.0
}
# Data of the queues are read cycles after they were written.
set_max_delay -quiet -datapath_only -from [get_cells -hier -quiet -filter {NAME =~ *crossing.*/ram_reg*}] \
  -to [get_cells -hier -quiet -filter {NAME =~ *crossing.*/data_reg_reg*}] 8.0
set_false_path -quiet -to [get_cells -hier -quiet -filter \
  {NAME =~ *interrupt/crossing.*_seen_reg_reg[0] || NAME =~ *interrupt/crossing.level_reg_reg[0]}]
