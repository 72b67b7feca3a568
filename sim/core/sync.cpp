#include "core/sync.hpp"

#include <stdexcept>

namespace convoy {

Barrier::Barrier(std::size_t members, Description description)
    : members_(members), description_(std::move(description)) {
  if (members == 0) throw std::invalid_argument("a barrier needs a member");
}

void Barrier::leave() {
  if (members_ == 1) throw std::logic_error("the last member of a barrier leaves");
  --members_;
  if (arrived() == members_) waiting_.wake_all();
}

std::string Barrier::Arrive::describe() const {
  if (!linked()) return "a barrier";  // it has opened meanwhile, or is gone
  return barrier_->description_.text() + ": " + std::to_string(barrier_->arrived()) + " of " +
         std::to_string(barrier_->members()) + " arrived";
}

namespace detail {

void ResourceState::serve() {
  while (!waiting.empty()) {
    auto& head = static_cast<Resource::Acquire&>(*waiting.first());
    if (in_use + head.amount_ > capacity) return;
    head.unlink();
    head.grant();
    head.wake();
  }
}

}  // namespace detail

Resource::Resource(std::int64_t capacity, Description description) {
  if (capacity < 1) throw std::invalid_argument("a resource needs a capacity");
  state_ = std::make_shared<detail::ResourceState>(capacity, std::move(description));
}

Resource::Acquire Resource::acquire(std::int64_t amount) {
  if (amount < 1 || amount > capacity()) {
    throw std::invalid_argument(std::to_string(amount) + " of a capacity of " + std::to_string(capacity()));
  }
  return Acquire(state_, amount);
}

Resource::Acquire::~Acquire() {
  unlink();
  if (granted_) resource_->in_use -= amount_;
  resource_->serve();
}

Lease Resource::Acquire::await_resume() {
  resumed();
  granted_ = false;
  return Lease(resource_, amount_);
}

std::string Resource::Acquire::describe() const {
  return resource_->description.text() + ": " + std::to_string(resource_->in_use) + " of " +
         std::to_string(resource_->capacity) + " in use, wants " + std::to_string(amount_);
}

}  // namespace convoy
