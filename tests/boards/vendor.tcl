# SPDX-License-Identifier: Apache-2.0
#
# tclsh vendor.tcl quartus|vivado IPS SCRIPT [WORD VALUE ... | ARGUMENT ...]
#
# Runs a project's script with stand-ins for the vendor's commands. A component, a parameter, a value, an interface,
# or an option that ips.tcl does not have is an error, as is a connection of two ends that do not fit, and
# a clock, a reset or a slave that nothing drives. Printed: each component, each parameter with its source, each
# connection.
lassign $argv vendor table script
set rest [lrange $argv 3 end]
source $table
array set kinds {}
array set ends {}

proc say {args} {puts [join $args "\t"]}

proc new {name kind} {
  if {![info exists ::ips($kind)]} {error "no component $kind"}
  if {[info exists ::kinds($name)]} {error "$name is there already"}
  set ::kinds($name) $kind
  say component $name $kind
}

proc parameter {name word value} {
  if {![info exists ::kinds($name)]} {error "no instance $name"}
  set kind $::kinds($name)
  lassign $::ips($kind) source known
  if {[info exists ::unverified($kind)] && [dict exists $::unverified($kind) $word]} {
    set source unverified
    set known $::unverified($kind)
  }
  if {![dict exists $known $word]} {error "$kind has no parameter $word"}
  if {![regexp "^(?:[dict get $known $word])$" $value]} {error "$kind: $word cannot be $value"}
  say parameter $kind $word $value $source
}

proc end {place} {
  lassign [split $place [expr {$::vendor eq "quartus" ? "." : "/"}]] name port
  if {![info exists ::kinds($name)]} {error "no instance $name"}
  set ports [lindex $::ips($::kinds($name)) 2]
  if {![dict exists $ports $port]} {error "$::kinds($name) has no $port"}
  return [dict get $ports $port]
}

proc fits {from to} {
  set pair [list [end $from] [end $to]]
  set good {{master slave} {clock-out clock-in} {reset-out reset-in} {irq-in irq-out} {out in}}
  if {$pair ni $good} {error "$from does not fit $to"}
  if {[info exists ::ends($to)] && [lindex $pair 1] in {clock-in reset-in in}} {error "$to has two drivers"}
  lappend ::ends($from) $to
  lappend ::ends($to) $from
  say connection $from $to
}

# Of ports that a component has only when a parameter asks for it nothing is demanded.
proc complete {} {
  set dot [expr {$::vendor eq "quartus" ? "." : "/"}]
  foreach name [array names ::kinds] {
    if {$::kinds($name) in {altera_hps xilinx.com:ip:processing_system7:5.5}} continue
    foreach {port kind} [lindex $::ips($::kinds($name)) 2] {
      if {$kind in {clock-in reset-in in master} && ![info exists ::ends($name$dot$port)]} {
        error "nothing at $name$dot$port"
      }
    }
  }
}

set reader [interp create]
if {$vendor eq "quartus"} {
  proc based {connection word value} {
    lassign [split $connection /] from to
    if {![info exists ::ends($from)] || $to ni $::ends($from)} {error "no connection $connection"}
    if {$word ni {baseAddress irqNumber}} {error "a connection has no $word"}
    say place $from $to $value
  }
  proc exported {name word place} {
    if {$word ne "EXPORT_OF" || ![info exists ::exports($name)]} {error "no $word of $name"}
    end $place
    lappend ::ends($place) $name
  }
  proc project {word value} {
    if {$word ni {DEVICE_FAMILY DEVICE}} {error "a system has no $word"}
  }
  proc assigned {word value} {
    # Quartus Settings File Reference Manual.
    if {$word ni {FAMILY DEVICE TOP_LEVEL_ENTITY QIP_FILE SDC_FILE GENERATE_RBF_FILE}} {error "no assignment $word"}
    say assignment $word $value
  }
  $reader alias package apply {{args} {}}
  $reader alias create_system apply {{name} {}}
  $reader alias set_project_property project
  $reader alias add_instance apply {{name kind version} {new $name $kind}}
  $reader alias set_instance_parameter_value parameter
  $reader alias add_connection fits
  $reader alias set_connection_parameter_value based
  $reader alias add_interface apply {{name type direction} {set ::exports($name) $type}}
  $reader alias set_interface_property exported
  $reader alias save_system apply {{file} {complete; say saved $file}}
  $reader alias project_new apply {{name option} {}}
  $reader alias project_close apply {{} {say saved project}}
  $reader alias set_global_assignment apply {{option word value} {assigned $word $value}}
  foreach {word value} $rest {$reader eval [list set $word $value]}
} else {
  proc made {args} {
    if {[lrange $args 0 2] ne {-type ip -vlnv} || [llength $args] != 5} {error "create_bd_cell $args"}
    new [lindex $args 4] [lindex $args 3]
  }
  proc given {args} {
    if {[lindex $args 0] ne "-dict"} return
    lassign $args option pairs name
    foreach {word value} $pairs {
      if {![regexp {^CONFIG\.(\w+)$} $word whole word]} {error "$word is no parameter"}
      parameter $name $word $value
    }
  }
  proc net {driver args} {
    foreach pin $args {fits $driver $pin}
  }
  proc placed {args} {
    if {[lindex $args 0] ne "-offset" || [lindex $args 2] ne "-range"} {error "assign_bd_address $args"}
    lassign [lindex $args 4] segment
    if {![dict exists $::segments $segment]} {error "no segment $segment"}
    end [join [lrange [split $segment /] 0 1] /]
    say place [dict get $::segments $segment] $segment [lindex $args 1] [lindex $args 3]
  }
  foreach command {create_project update_ip_catalog create_bd_design add_files launch_runs wait_on_run} {
    $reader alias $command apply {{args} {}}
  }
  foreach command {current_project current_fileset get_files make_wrapper} {
    $reader alias $command apply {{args} {return x}}
  }
  foreach command {get_bd_cells get_bd_pins get_bd_intf_pins get_bd_addr_segs} {
    $reader alias $command apply {{name} {return $name}}
  }
  $reader alias create_bd_cell made
  $reader alias set_property given
  $reader alias connect_bd_intf_net fits
  $reader alias connect_bd_net net
  $reader alias assign_bd_address placed
  $reader alias apply_bd_automation apply {{args} {
    if {[lindex $args 1] ne "xilinx.com:bd_rule:processing_system7"} {error "no rule [lindex $args 1]"}
  }}
  $reader alias validate_bd_design complete
  $reader alias save_bd_design apply {{} {say saved system}}
  $reader eval [list set argv $rest]
}
cd [file dirname $script]
$reader eval [list source [file tail $script]]
