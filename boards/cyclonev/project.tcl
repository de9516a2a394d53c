# SPDX-License-Identifier: Apache-2.0
#
# Quartus' project of a design: quartus_sh -t project.tcl, behind qsys-generate system.qsys --synthesis=VERILOG.
# Not tried with Quartus. Pins come from the board's own file, pins.tcl (README.md).
package require ::quartus::project
project_new study -overwrite
set_global_assignment -name FAMILY {Cyclone V}
set_global_assignment -name DEVICE 5CSEMA5F31C6
set_global_assignment -name TOP_LEVEL_ENTITY system
set_global_assignment -name QIP_FILE system/synthesis/system.qip
set_global_assignment -name SDC_FILE ../../hdl/datra/ip/datra.sdc
set_global_assignment -name GENERATE_RBF_FILE ON
source pins.tcl
project_close
