# SPDX-License-Identifier: Apache-2.0
#
# Each fifo_async and irq_cross of a design: Gray-code pointers may skew by less than a cycle of
# their writer, queues' data have the reader's cycle, and what is no bus may take any time.
# The clocks come first; set_clock_groups between them would take precedence. Not built here.

foreach_in_collection register [get_registers -nowarn {*|write_gray_reg[0]}] {
  set name [get_register_info -name $register]
  set queue [string range $name 0 end-[string length {write_gray_reg[0]}]]
  set ways [list \
    "${queue}write_gray_reg\[*\]" "${queue}write_sync_reg\[*\]" \
    "${queue}read_gray_reg\[*\]" "${queue}read_sync_reg\[*\]" \
    "${queue}*ram*" "${queue}data_reg\[*\]"]
  foreach {source target} $ways {
    set from [get_keepers -nowarn $source]
    set to [get_keepers -nowarn $target]
    # Neither setup nor hold of clocks that have no relation, but the time that a bit may take.
    set_max_delay -from $from -to $to 100
    set_min_delay -from $from -to $to -100
    set_net_delay -from $from -to $to -max \
      -get_value_from_clock_period dst_clock_period -value_multiplier 0.8
    if {[string match *gray* $source]} {
      set_max_skew -from $from -to $to \
        -get_skew_value_from_clock_period src_clock_period -skew_value_multiplier 0.8
    }
  }
}
foreach name {to from level toggle answer} {
  set_false_path -to [get_registers -nowarn "*crossing.${name}_sync_reg"]
}
