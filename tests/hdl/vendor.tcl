# SPDX-License-Identifier: Apache-2.0
#
# tclsh vendor.tcl vivado|quartus NAMES CONSTRAINTS
#
# Reads constraints with stand-ins for a vendor's commands and prints what they apply to: command,
# options, the names in -from, those in -to, tab-separated. NAMES has a register or memory in each
# line, as the vendor's tool would name it. Vivado's file may use Vivado's commands alone: those of
# Tcl that UG903 does not list do not exist there. `*` and `?` are the only wildcards of either.

lassign $argv vendor names constraints
set channel [open $names]
set everything [split [string trim [read $channel]] "\n"]
close $channel

proc found {patterns} {
  set list {}
  foreach pattern $patterns {
    set literal [string map {\\ \\\\ [ \\[ ] \\]} $pattern]
    foreach name $::everything {
      if {[string match $literal $name]} {lappend list $name}
    }
  }
  return $list
}

# The arguments behind options: those in `flags` stand alone, all others take a value.
proc options {arguments flags} {
  set given [dict create rest {}]
  while {[llength $arguments]} {
    set arguments [lassign $arguments word]
    if {![regexp {^-[a-z]} $word]} {
      dict lappend given rest $word
    } elseif {$word in $flags} {
      dict set given $word 1
    } else {
      set arguments [lassign $arguments value]
      dict set given $word $value
    }
  }
  return $given
}

proc constrain {command flags known arguments} {
  set given [options $arguments $flags]
  foreach option [dict keys $given -*] {
    if {$option ni [concat $flags $known]} {error "$command knows no $option"}
  }
  set from [expr {[dict exists $given -from] ? [dict get $given -from] : "*"}]
  set to [expr {[dict exists $given -to] ? [dict get $given -to] : "*"}]
  set given [dict remove $given -from -to -quiet]
  puts [join [list $command $given $from $to] "\t"]
}

proc cells {arguments} {found [dict get [options $arguments {-quiet -nowarn}] rest]}

proc pins {arguments} {
  set list {}
  foreach pattern [dict get [options $arguments -quiet] rest] {
    if {![regexp {^(.*)/D$} $pattern whole cell]} {error "no data pin: $pattern"}
    lappend list {*}[found [list $cell]]
  }
  return $list
}

proc ports {arguments} {dict get [options $arguments -quiet] rest}
proc clocks {arguments} {dict get [options $arguments -quiet] -of_objects}
proc property {arguments} {
  lassign [dict get [options $arguments {-quiet -min}] rest] name object
  if {$name ne "PERIOD"} {error "no property $name"}
  return "period:$object"
}
proc information {arguments} {dict get [options $arguments {}] -name}

set reader [interp create -safe]
if {$vendor eq "vivado"} {
  foreach command [$reader eval {info commands}] {
    if {$command ni {set expr list rename}} {$reader eval [list rename $command {}]}
  }
  $reader eval {rename rename {}}
  $reader alias get_cells apply {args {cells $args}}
  $reader alias get_pins apply {args {pins $args}}
  $reader alias get_ports apply {args {ports $args}}
  $reader alias get_clocks apply {args {clocks $args}}
  $reader alias get_property apply {args {property $args}}
  foreach {command flags known} {
    set_max_delay {-quiet -datapath_only} {-from -to}
    set_bus_skew -quiet {-from -to}
    set_false_path -quiet {-from -to}
  } {$reader alias $command apply {{args} {constrain {*}[lrange $args 0 2] [lrange $args 3 end]}} $command $flags $known}
} else {
  $reader alias get_registers apply {args {cells $args}}
  $reader alias get_keepers apply {args {cells $args}}
  $reader alias get_register_info apply {args {information $args}}
  $reader eval {
    proc foreach_in_collection {variable collection body} {
      upvar 1 $variable one
      foreach one $collection {uplevel 1 $body}
    }
  }
  foreach {command flags known} {
    set_max_delay {} {-from -to}
    set_min_delay {} {-from -to}
    set_false_path {} {-from -to}
    set_net_delay -max {-from -to -get_value_from_clock_period -value_multiplier}
    set_max_skew {} {-from -to -get_skew_value_from_clock_period -skew_value_multiplier}
  } {$reader alias $command apply {{args} {constrain {*}[lrange $args 0 2] [lrange $args 3 end]}} $command $flags $known}
}
set channel [open $constraints]
$reader eval [read $channel]
