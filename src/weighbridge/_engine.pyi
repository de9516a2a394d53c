# SPDX-License-Identifier: Apache-2.0
from enum import Enum

class Window:
    target: str
    base: float
    bytes: float

class Component:
    name: str
    kind: str
    clock: str
    numbers: dict[str, float]
    choices: dict[str, str]
    to: list[str]
    windows: list[Window]
    master: bool
    ideal: bool

class Description:
    reference_clock: str
    clocks_mhz: dict[str, float]
    components: list[Component]
    trace_slices: int

class Buffer:
    base: int
    frames: list[int]
    inner: bool
    outer: bool
    ordered: bool
    allocate: bool

class DmaSoftware:
    start_work: float
    start_device: float
    poll_work: float
    poll_device: float
    poll_lead: float
    dummy_work: float
    dummy_lead: float
    dummy_interval: float
    fetch: float
    system_call: float
    prepare: float
    prepare_instruction: float
    prepare_burst: float
    slowdown: float
    burst: float
    beat: float
    early_end: float
    bufferable: float

class Consume(Enum):
    none = ...
    stream = ...
    random = ...

class First(Enum):
    processor = ...
    by_weight = ...
    other = ...

class PortSchedule:
    first: First
    weight: int

class Job:
    to_fabric: bool
    bytes: int
    chunk_bytes: int
    fabric: int
    processor: str
    master: str
    inner_enabled: bool
    outer_enabled: bool
    instruction_cache: bool
    inner_cache: str
    outer_cache: str
    locked_processor: int
    locked_coherent: int
    lock_prepared: bool
    buffer: Buffer
    fabric_ordered: bool
    word_loop: bool
    checked_bytes: int
    kernel_footprint: int
    through_kernel: bool
    kernel: Buffer
    memory_window: int
    prepared: bool
    software: DmaSoftware
    dummy_traffic: bool
    memory: str
    schedule: PortSchedule
    poll_samples: int
    consume: Consume

class FabricPort:
    component: str
    memory_window: int
    run_beats: int

class FabricJob:
    to_fabric: bool
    bytes: int
    beat_bytes: int
    ports: list[FabricPort]
    controller: str
    processor: str
    control: int
    buffer_align: int
    outer_enabled: bool
    outer_cache: str
    buffer: Buffer
    through_kernel: bool
    kernel: Buffer
    kernel_stride: int
    allocate: bool
    ordered_control: bool
    base: float
    start_work: float
    poll_work: float
    poll_lead: float
    phase: float
    next_work: float
    drain: float
    system_call: float
    consume: Consume

class Frame:
    bytes: int
    prepare: float

class FrameJob:
    frames: list[Frame]
    master: str
    target: int
    copy_word: float
    start: float
    node: float
    word: float
    overlapped: bool
    single: bool

class Loop(Enum):
    chain = ...
    read = ...
    write = ...
    copy = ...

class LoadJob:
    loop: Loop
    core: str
    port: int
    base: int
    working_set: int
    stride: int
    cached: bool
    hog: bool
    seed: int
    runs: int
    single: bool

class CopyEngineJob:
    master: str
    source: int
    target: int
    bytes: int

class DeviceJob:
    bytes: int
    reads: bool
    writes: bool
    latency: bool
    master: str
    memory: int
    single: bool

class DriverCall:
    call: float
    work: float
    reads: int
    writes: int

class StreamJob:
    to_fabric: bool
    duplex: bool
    bytes: int
    pieces: int
    blocks: int
    streams: int
    master: str
    logic: str
    every_cycle: bool
    port: str
    window: int
    processor: str
    control: int
    inner_cache: str
    outer_cache: str
    block: Buffer
    copies: bool
    user: Buffer
    maintain: bool
    clean: float
    invalidate: float
    maintain_call: float
    resident_bytes: int
    polling: bool
    enqueue_to_fabric: DriverCall
    dequeue_to_fabric: DriverCall
    enqueue_from_fabric: DriverCall
    dequeue_from_fabric: DriverCall
    wait: DriverCall
    consume: Consume
    single: bool
    without: str

class WordJob:
    to_fabric: bool
    words: int
    node: str
    interval: float
    processor: str
    control: int
    waits: bool
    call: DriverCall
    wait: DriverCall

class ComponentUse:
    @property
    def name(self) -> str: ...
    @property
    def transactions(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def busy(self) -> float: ...
    @property
    def waiting(self) -> float: ...

class Phase:
    name: str
    seconds: float
    components: list[ComponentUse]
    processor: bool

class TracedSlice:
    @property
    def component(self) -> int: ...
    @property
    def start(self) -> float: ...
    @property
    def busy(self) -> float: ...
    @property
    def waiting(self) -> float: ...
    @property
    def bytes(self) -> int: ...
    @property
    def write(self) -> bool: ...

class TracedPhase:
    @property
    def name(self) -> str: ...
    @property
    def start(self) -> float: ...
    @property
    def seconds(self) -> float: ...

class Traced:
    @property
    def components(self) -> list[str]: ...
    @property
    def slices(self) -> list[TracedSlice]: ...
    @property
    def phases(self) -> list[TracedPhase]: ...
    @property
    def dropped(self) -> int: ...

class Outcome:
    seconds: float
    phases: list[Phase]
    @property
    def preparation(self) -> float: ...
    @property
    def samples(self) -> list[float]: ...
    @property
    def repeats(self) -> float: ...
    @property
    def trace(self) -> Traced: ...

def transfer(description: Description, job: Job) -> Outcome: ...
def fabric_transfer(description: Description, job: FabricJob) -> Outcome: ...
def load_loop(description: Description, job: LoadJob) -> Outcome: ...
def engine_copy(description: Description, job: CopyEngineJob) -> Outcome: ...
def device_transfer(description: Description, job: DeviceJob) -> Outcome: ...
def transmit(description: Description, job: FrameJob) -> Outcome: ...
def stream(description: Description, job: StreamJob) -> Outcome: ...
def word_transfer(description: Description, job: WordJob) -> Outcome: ...

MAX_PROGRAM_BYTES: int

def assemble(text: str) -> bytes: ...
def disassemble(code: bytes) -> list[str]: ...
def build_copy(source: int, destination: int, count: int) -> bytes: ...
