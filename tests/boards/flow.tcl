# SPDX-License-Identifier: Apache-2.0
#
# tclsh flow.tcl FOLDER [ARGUMENT ...]
#
# Runs FOLDER/project.tcl with stand-ins for the commands of Vivado's flow without a project, and the files of
# constraints that it reads. Printed: each command with its words. A command or an option that is not
# here is an error, as is a step before the one that it needs.
set argv [lassign $argv folder]
cd $folder
set done {}

proc say {args} {puts [join $args "\t"]}
proc step {name after} {
  if {$after ne "" && $after ni $::done} {error "$name before $after"}
  lappend ::done $name
}
proc options {name given known} {
  foreach {option value} $given {
    if {$option ni $known} {error "$name has no $option"}
    say $name $option $value
  }
}
proc read_verilog {args} {
  if {[lindex $args 0] ne "-sv" || [llength $args] != 2} {error "read_verilog $args"}
  step read ""
  foreach file [lindex $args 1] {say read_verilog $file}
}
proc read_xdc {args} {
  set file [lindex $args end]
  set scope [expr {[llength $args] == 3 && [lindex $args 0] eq "-ref" ? [lindex $args 1] : ""}]
  if {[llength $args] != 1 && $scope eq ""} {error "read_xdc $args"}
  say read_xdc $file $scope
  if {$scope eq ""} {uplevel #0 [list source $file]}
}
proc get_ports {args} {say port [lindex $args end]; return [lindex $args end]}
proc get_cells {args} {say cell [lindex $args end]; return [lindex $args end]}
proc create_clock {args} {options create_clock [lrange $args 0 end-1] {-name -period}}
proc set_false_path {args} {options set_false_path $args {-from -to}}
proc synth_design {args} {step synth read; options synth_design $args {-top -part -generic}}
proc opt_design {} {step opt synth}
proc place_design {} {step place opt}
proc route_design {} {step route place}
proc report_timing_summary {args} {options report_timing_summary $args -file}
proc report_utilization {args} {options report_utilization $args -file}
proc write_bitstream {args} {
  if {[llength $args] != 2 || [lindex $args 0] ne "-force"} {error "write_bitstream $args"}
  step bitstream route
  say write_bitstream [lindex $args 1]
}
source project.tcl
