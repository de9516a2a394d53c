# SPDX-License-Identifier: Apache-2.0
"""Words through the router: none lost or doubled, in order, at full rate, where they belong."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, Timer

SOURCES, SINKS = 6, 7
FIRST_ROUTE = 9  # of sink 0; the others follow


class Router:
    """Sources and sinks as wide vectors; a word is its source, its number, and a signal of both."""

    def __init__(self, dut, seed: int) -> None:
        self.dut = dut
        self.random = random.Random(seed)
        self.routes = [0] * SOURCES
        self.before: list[set[int]] = [set() for _ in range(SOURCES)]  # allowed while not settled
        self.sent = [0] * SOURCES
        self.offered = [False] * SOURCES
        # Words on their way, with the sinks that they may arrive at.
        self.flight: list[dict[int, set[int]]] = [{} for _ in range(SOURCES)]
        self.last: dict[tuple[int, int], int] = {}
        self.arrived = [0] * SINKS
        self.send_chance = [1.0] * SOURCES
        self.take_chance = [1.0] * SINKS
        self.flush = 0
        self.source_enable, self.sink_enable = (1 << SOURCES) - 1, (1 << SINKS) - 1
        self.changed = False

    async def start(self) -> None:
        dut = self.dut
        for name in ("routes", "changed", "out_data", "out_user", "out_valid", "flush", "in_ready"):
            getattr(dut, name).value = 0
        dut.source_enable.value = self.source_enable
        dut.sink_enable.value = self.sink_enable
        dut.rst.value = 1
        cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
        for _ in range(4):
            await FallingEdge(dut.clk)
        dut.rst.value = 0

    def destination(self, source: int) -> set[int]:
        """Of the words that `source` sends: the lowest source that names a sink has it."""
        route = self.routes[source]
        if route == 0 or route in self.routes[:source]:
            return set()
        return {route - FIRST_ROUTE} & set(range(SINKS))

    def connect(self, routes: list[int]) -> None:
        self.before = [self.before[s] | self.destination(s) for s in range(SOURCES)]
        self.routes = routes
        self.changed = True

    async def cycle(self) -> None:
        """Drives a cycle and accounts for what happens at its end."""
        dut, chance = self.dut, self.random.random
        await FallingEdge(dut.clk)
        dut.changed.value = self.changed
        if self.changed:
            dut.routes.value = sum(route << 7 * s for s, route in enumerate(self.routes))
        data = user = valid = 0
        for s in range(SOURCES):
            self.offered[s] = self.offered[s] or chance() < self.send_chance[s]
            if self.offered[s]:
                valid |= 1 << s
                data |= (s << 24 | self.sent[s]) << 32 * s
                user |= (self.sent[s] * 5 + s & 0xFFFF) << 16 * s
        dut.out_valid.value, dut.out_data.value, dut.out_user.value = valid, data, user
        dut.in_ready.value = sum((chance() < p) << d for d, p in enumerate(self.take_chance))
        dut.flush.value = self.flush
        dut.source_enable.value, dut.sink_enable.value = self.source_enable, self.sink_enable
        await ReadOnly()
        if not self.changed and int(dut.settled.value):
            self.before = [set() for _ in range(SOURCES)]
        self.changed = False

        fired = valid & int(dut.out_ready.value)
        assert not fired & ~self.source_enable
        for s in range(SOURCES):
            if fired >> s & 1:
                allowed = self.destination(s) | self.before[s]
                assert allowed, f"source {s} has no destination"
                self.flight[s][self.sent[s]] = allowed
                self.sent[s] += 1
                self.offered[s] = False
        taken = int(dut.in_valid.value) & int(dut.in_ready.value)
        assert not int(dut.in_valid.value) & ~self.sink_enable
        if taken:
            data, user = int(dut.in_data.value), int(dut.in_user.value)
        for d in range(SINKS):
            if taken >> d & 1:
                word, signal = data >> 32 * d & 0xFFFFFFFF, user >> 16 * d & 0xFFFF
                s, number = word >> 24, word & 0xFFFFFF
                assert signal == (number * 5 + s & 0xFFFF), "signal of another word"
                assert d in self.flight[s].pop(number), f"sink {d} has word {number} of source {s}"
                assert number > self.last.get((s, d), -1), "out of order"
                self.last[s, d] = number
                self.arrived[d] += 1

    async def cycles(self, count: int) -> None:
        for _ in range(count):
            await self.cycle()

    async def settle(self) -> None:
        await self.cycles(2)
        for _ in range(100):
            if int(self.dut.settled.value):
                return
            await self.cycle()
        raise AssertionError("the router does not settle")

    async def drain(self) -> None:
        self.send_chance, self.take_chance = [0.0] * SOURCES, [1.0] * SINKS
        await self.cycles(150)


def permutation(router: Router) -> list[int]:
    sinks = router.random.sample(range(SINKS), SOURCES)
    return [FIRST_ROUTE + d for d in sinks]


@cocotb.test()
async def all_streams_at_full_rate(dut) -> None:
    router = Router(dut, 1)
    await router.start()
    for _ in range(3):
        router.send_chance, router.take_chance = [1.0] * SOURCES, [1.0] * SINKS
        router.connect(permutation(router))
        await router.settle()
        await router.cycles(20)
        before = list(router.sent)
        await router.cycles(500)
        for s in range(SOURCES):
            assert router.sent[s] - before[s] >= 0.99 * 500
        await router.drain()
        assert not any(router.flight)


@cocotb.test()
async def a_full_queue_takes_word_for_word(dut) -> None:
    """Who reads one word of a full path makes place for one, at once."""
    router = Router(dut, 3)
    await router.start()
    router.send_chance, router.take_chance = [1.0] * SOURCES, [0.0] * SINKS
    router.connect([FIRST_ROUTE + s for s in range(SOURCES)])
    await router.settle()
    await router.cycles(100)
    full = list(router.sent)
    for taken in range(1, 20):
        router.take_chance = [1.0] * SINKS
        await router.cycle()
        router.take_chance = [0.0] * SINKS
        await router.cycles(6)
        assert router.sent == [words + taken for words in full]
    await router.drain()
    assert not any(router.flight)


@cocotb.test()
async def two_cycles_from_node_to_node(dut) -> None:
    router = Router(dut, 2)
    await router.start()
    router.connect([FIRST_ROUTE + s for s in range(SOURCES)])
    router.send_chance = [0.0] * SOURCES
    await router.settle()
    await router.cycles(5)
    router.offered[3] = True
    await router.cycle()
    assert router.sent[3] == 1
    cycles = 0
    while not router.arrived[3]:
        await router.cycle()
        cycles += 1
    assert cycles == 2


@cocotb.test()
async def routes_change_under_stalls(dut) -> None:
    router = Router(dut, cocotb.RANDOM_SEED)
    await router.start()
    rand = router.random
    for _ in range(60):
        router.send_chance = [rand.choice([0.1, 0.6, 1.0]) for _ in range(SOURCES)]
        router.take_chance = [rand.choice([0.1, 0.6, 1.0]) for _ in range(SINKS)]
        if rand.random() < 0.5:
            # One at a time, among them routes to one sink, to nowhere and to no sink that exists.
            routes = list(router.routes)
            routes[rand.randrange(SOURCES)] = rand.choice(
                [0, 3, *range(FIRST_ROUTE, FIRST_ROUTE + 7)]
            )
        else:
            routes = permutation(router)
        router.connect(routes)
        await router.settle() if rand.random() < 0.7 else await router.cycles(rand.randrange(1, 9))
        await router.cycles(rand.randrange(100))
    await router.settle()
    await router.drain()
    assert not any(router.flight), "words lost"


@cocotb.test()
async def unrouted_stalls_and_flush_discards(dut) -> None:
    router = Router(dut, 3)
    await router.start()
    await router.cycles(50)
    assert router.sent == [0] * SOURCES  # nothing leaves a source without a route
    router.take_chance = [0.0] * SINKS
    routes = [FIRST_ROUTE + s for s in range(SOURCES)]
    router.connect(routes)
    await router.settle()
    await router.cycles(100)
    held = list(router.sent)
    assert all(8 <= words <= 32 for words in held)  # what a sink's queue holds
    await router.cycles(50)
    assert router.sent == held
    # The words of sink 2 go, the others stay.
    router.send_chance = [0.0] * SOURCES
    router.flush = 1 << 2
    await router.cycle()
    router.flush = 0
    router.flight[2].clear()
    router.take_chance = [1.0] * SINKS
    await router.cycles(2 * max(held))
    # A word that was offered before is sent after the flush.
    assert router.arrived[2] == router.sent[2] - held[2]
    assert all(router.arrived[s] >= held[s] for s in range(SOURCES) if s != 2)
    assert not any(router.flight)


@cocotb.test()
async def flush_under_load(dut) -> None:
    """Words that left their source before the flush are gone, those after it arrive."""
    router = Router(dut, 4)
    await router.start()
    router.connect([FIRST_ROUTE + s for s in range(SOURCES)])
    await router.settle()
    for _ in range(40):
        router.take_chance = [router.random.choice([0.3, 1.0])] * SINKS
        await router.cycles(router.random.randrange(5, 60))
        router.flush = 1
        await router.cycle()
        router.flush = 0
        router.flight[0].clear()
    await router.drain()
    assert not any(router.flight)


@cocotb.test()
async def flush_held_stops_the_source(dut) -> None:
    router = Router(dut, 8)
    await router.start()
    router.connect([FIRST_ROUTE + s for s in range(SOURCES)])
    await router.settle()
    await router.cycles(50)
    before = router.sent[0]
    router.flush = 1
    await router.cycles(30)
    router.flush = 0
    assert router.sent[0] - before <= 3
    router.flight[0].clear()
    await router.cycles(30)
    assert router.sent[0] - before > 20
    await router.drain()
    assert not any(router.flight)


@cocotb.test()
async def disabled_neither_sends_nor_receives(dut) -> None:
    router = Router(dut, 5)
    await router.start()
    router.connect([FIRST_ROUTE + s for s in range(SOURCES)])
    await router.settle()
    await router.cycles(50)
    router.source_enable &= ~1
    router.sink_enable &= ~2
    # `out_ready` is a register: it may still be high in the cycle in which the enable falls.
    await FallingEdge(dut.clk)
    dut.source_enable.value, dut.sink_enable.value = router.source_enable, router.sink_enable
    dut.out_valid.value = 0
    dut.in_ready.value = 0
    sent, arrived = router.sent[0], router.arrived[1]
    await router.cycles(60)
    assert router.sent[0] == sent
    assert router.arrived[1] == arrived
    assert router.sent[1] - arrived <= 32
    router.source_enable, router.sink_enable = (1 << SOURCES) - 1, (1 << SINKS) - 1
    await router.cycles(60)
    assert router.sent[0] > sent
    assert router.arrived[1] > arrived
    await router.drain()
    assert not any(router.flight)


@cocotb.test()
async def no_combinational_path(dut) -> None:
    router = Router(dut, 6)
    await router.start()
    router.connect([FIRST_ROUTE + s for s in range(SOURCES)])
    await router.settle()
    await router.cycles(40)
    for _ in range(50):
        await router.cycle()
        before = int(dut.out_ready.value), int(dut.in_valid.value), int(dut.in_data.value)
        await Timer(1, "ns")
        kept = int(dut.in_ready.value), int(dut.out_valid.value), int(dut.out_data.value)
        dut.in_ready.value = kept[0] ^ (1 << SINKS) - 1
        dut.out_valid.value = kept[1] ^ (1 << SOURCES) - 1
        dut.out_data.value = kept[2] ^ (1 << 32 * SOURCES) - 1
        await ReadOnly()
        after = int(dut.out_ready.value), int(dut.in_valid.value), int(dut.in_data.value)
        assert after == before
        await Timer(1, "ns")
        dut.in_ready.value, dut.out_valid.value, dut.out_data.value = kept
