/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Follows one text through a step of training: words, tokens, tensors, collectives, packets, bits.
//
//   llm-training-journey
//   llm-training-journey --word=selva --model=llama-3-8b --tp=8 --dp=2
//   llm-training-journey --batch=3 --text=book.txt --tokenizer=tokenizer.json --format=json

#include "ns3/llm-journey-program.h"

#include <iostream>

int
main(int argc, char* argv[])
{
    return ns3::llm::RunJourneyProgram(argc, argv, std::cout, std::cerr);
}
