// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
#include "core/trace.hpp"

#include "core/component.hpp"

namespace weighbridge {

void Trace::add(const Component& component, const Access& access, Time start, Time busy,
                Time waiting) {
  if (slices_.size() >= limit_) {
    ++dropped_;
  } else {
    slices_.push_back({&component, start, busy, waiting, access.bytes, access.write});
  }
}

void Trace::discard() {
  slices_.resize(booked_);
  dropped_ = dropped_booked_;
}

void Trace::begin() {
  booked_ = 0;
  dropped_booked_ = 0;
  discard();
  phases_.clear();
  now_ = 0;
}

void Trace::book() {
  for (; booked_ < slices_.size(); ++booked_) slices_[booked_].start += now_;
  dropped_booked_ = dropped_;
}

void Trace::advance(const std::string& name, Time duration) {
  if (phases_.size() >= limit_) {
    dropped_booked_ = ++dropped_;
  } else if (duration > 0) {
    phases_.push_back({name, now_, duration});
  }
  now_ += duration;
}

}  // namespace weighbridge
