// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "core/kinds.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "components/block_dma.hpp"
#include "components/bridge.hpp"
#include "components/buffered_port.hpp"
#include "components/cache.hpp"
#include "components/copy_engine.hpp"
#include "components/ddr_controller.hpp"
#include "components/fabric_dma.hpp"
#include "components/memory.hpp"
#include "components/memory_port.hpp"
#include "components/microcontroller.hpp"
#include "components/node_dma.hpp"
#include "components/packet_dma.hpp"
#include "components/parallel_bus.hpp"
#include "components/pcie_link.hpp"
#include "components/processor.hpp"
#include "components/processor_core.hpp"
#include "components/traffic_generator.hpp"
#include "components/word_fifo.hpp"
#include "pl330/channel.hpp"

namespace weighbridge {
namespace {

template <typename Parameters>
std::vector<Field> fields_of() {
  std::vector<Field> list;
  static_cast<void>(Parameters{Fields(list)});
  return list;
}

template <typename Made>
std::unique_ptr<Component> make(const Site& site) {
  if constexpr (requires { Made::make(site); }) {
    return Made::make(site);
  } else if constexpr (std::is_constructible_v<Made, std::string, typename Made::Parameters>) {
    return std::make_unique<Made>(site.name, typename Made::Parameters{site.fields});
  } else {
    return std::make_unique<Made>(site.name, typename Made::Parameters{site.fields},
                                  *site.to.at(0));
  }
}

template <typename Made>
Kind component(const char* name, std::optional<std::size_t> neighbours) {
  return {name, neighbours, fields_of<typename Made::Parameters>(), &make<Made>, {}};
}

template <typename Parameters>
Kind master(const char* name, std::optional<std::size_t> neighbours, Moves moves = {}) {
  return {name, neighbours, fields_of<Parameters>(), nullptr, std::move(moves)};
}

}  // namespace

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      master<ProcessorParameters>("processor", 2, {.chunked = true}),
      component<Cache>("cache", 1),
      component<CoherencyPort>("coherency_port", 2),
      component<Switch>("switch", 0),
      component<Bridge>("bridge", 1),
      component<Sdram>("sdram", 0),
      component<BufferedPort>("buffered_port", 1),
      component<DdrController>("ddr_controller", 0),
      component<MemoryPort>("memory_port", 1),
      master<TrafficGeneratorParameters>("traffic_generator", std::nullopt),
      master<BlockDmaParameters>("descriptor_dma", std::nullopt),
      master<WordFifoParameters>("word_fifo", 1),
      component<Ram>("ram", 0),
      component<Apb>("apb", 1),
      component<ParallelBus>("parallel_bus", 1),
      master<MicrocontrollerParameters>("microcontroller", 1),
      component<PcieLink>("pcie_link", 1),
      master<PacketDmaParameters>("pcie_dma", 1, {.through = "pcie_link"}),
      master<CoreParameters>("core", 2),
      master<CopyEngineParameters>("central_dma", 1),
      master<NodeDmaParameters>("mdma", 1),
      master<FabricDmaParameters>("fabric_dma", 2, {.ported = true}),
      master<pl330::ChannelParameters>("pl330", 1, {.chunked = true}),
  };
  return all;
}

const Kind& kind_of(const ComponentSpec& spec) {
  const auto& all = kinds();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Kind& kind) { return kind.name == spec.kind; });
  if (found == all.end()) {
    throw std::invalid_argument("component '" + spec.name + "' is of unknown kind '" + spec.kind +
                                "'");
  }
  return *found;
}

}  // namespace weighbridge
