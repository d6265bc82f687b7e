/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_GROWING_FIFO_H
#define LLM_GROWING_FIFO_H

#include <cstddef>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * First-in first-out queue with access by position, in one block of memory that doubles when it is
 * full and is kept when it empties: a queue that is used again allocates nothing.
 *
 * @tparam T a type that is default-constructible and movable.
 */
template <typename T>
class GrowingFifo
{
  public:
    /** @return number of elements. */
    std::size_t Size() const
    {
        return m_size;
    }

    /** @return true if there is none. */
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /** @param index 0 is the oldest; below Size(). @return the element. */
    T& operator[](std::size_t index)
    {
        return m_ring[(m_first + index) & (m_ring.size() - 1)];
    }

    /** @param index 0 is the oldest; below Size(). @return the element. */
    const T& operator[](std::size_t index) const
    {
        return m_ring[(m_first + index) & (m_ring.size() - 1)];
    }

    /** @return the oldest element; there must be one. */
    T& Front()
    {
        return m_ring[m_first];
    }

    /** @return the oldest element; there must be one. */
    const T& Front() const
    {
        return m_ring[m_first];
    }

    /** @param value becomes the newest element. */
    void Push(T value)
    {
        if (m_size == m_ring.size())
        {
            Grow();
        }
        ++m_size;
        (*this)[m_size - 1] = std::move(value);
    }

    /** Remove the oldest element; there must be one. */
    void Pop()
    {
        m_first = (m_first + 1) & (m_ring.size() - 1);
        --m_size;
    }

    /** @param index of the element that is taken out; those behind it keep their order. */
    void Erase(std::size_t index)
    {
        for (std::size_t i = index; i > 0; --i)
        {
            (*this)[i] = std::move((*this)[i - 1]);
        }
        Pop();
    }

    /** Remove all elements; memory is kept. */
    void Clear()
    {
        m_first = 0;
        m_size = 0;
    }

  private:
    /** Double the ring. */
    void Grow()
    {
        std::vector<T> ring(m_ring.empty() ? 4 : 2 * m_ring.size());
        for (std::size_t i = 0; i < m_size; ++i)
        {
            ring[i] = std::move((*this)[i]);
        }
        m_ring.swap(ring);
        m_first = 0;
    }

    std::vector<T> m_ring;  //!< storage; a power of two
    std::size_t m_first{0}; //!< position of the oldest
    std::size_t m_size{0};  //!< elements
};

} // namespace llm
} // namespace ns3

#endif // LLM_GROWING_FIFO_H
