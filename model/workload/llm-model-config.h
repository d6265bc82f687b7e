/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MODEL_CONFIG_H
#define LLM_MODEL_CONFIG_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The shape of a transformer language model, dense or with mixture of experts (MoE), with the key
 * names of Hugging Face's config.json. Read from such a file, or filled in by hand as plain numbers
 * (then call Validate).
 *
 * Not modelled: sliding windows, rotary embeddings, dropout and everything else that changes
 * neither a parameter count nor a tensor on the network.
 */
struct ModelConfig
{
    std::string name{"model"};           //!< for reports
    std::string model_type{"llama"};     //!< family, see GetFamilyNames
    uint64_t vocab_size{0};              //!< tokens, unpadded
    uint64_t hidden_size{0};             //!< h; gpt2: n_embd
    uint64_t num_hidden_layers{0};       //!< L; gpt2: n_layer
    uint64_t num_attention_heads{0};     //!< a; gpt2: n_head
    uint64_t num_key_value_heads{0};     //!< k_v; 0: as many as attention heads
    uint64_t head_dim{0};                //!< d_h; 0: hidden_size / num_attention_heads
    uint64_t intermediate_size{0};       //!< f; gpt2: n_inner, 0: 4 hidden_size
    uint64_t max_position_embeddings{0}; //!< gpt2: n_positions, rows of the position table
    bool tie_word_embeddings{false};     //!< the output layer is the input embedding
    std::string torch_dtype;             //!< of the checkpoint; empty: the file does not say

    // Mixture of experts. Layers that IsMoeLayer names have a router and experts instead of an MLP.
    uint64_t num_experts{0};         //!< E: routed experts per MoE layer; 0: a dense model
    uint64_t num_experts_per_tok{0}; //!< K: experts that a token goes to, at most E
    /** f_e: width of a routed expert; 0: intermediate_size (mixtral). */
    uint64_t moe_intermediate_size{0};
    /** Summed width of the shared experts, through which every token goes; 0: none. */
    uint64_t shared_expert_intermediate_size{0};
    bool shared_expert_gate{false};    //!< h weights scale the shared experts' output (qwen2_moe)
    uint64_t first_k_dense_replace{0}; //!< so many layers at the start are dense (deepseek)
    uint64_t moe_layer_freq{1};        //!< layer i is dense unless i % this is 0 (deepseek)
    uint64_t decoder_sparse_step{1};   //!< layer i is dense unless (i + 1) % this is 0 (qwen)
    std::vector<uint64_t> mlp_only_layers; //!< these layers are dense (qwen)
    uint64_t n_group{1};    //!< the experts form so many equal groups (nodes), for limited routing
    uint64_t topk_group{1}; //!< a token goes to experts of at most so many groups
    bool expert_score_correction_bias{false}; //!< one bias per expert at the router (deepseek_v3)

    // Multi-head latent attention (MLA, DeepSeek-V2 s.2.1). kv_lora_rank 0: ordinary attention.
    uint64_t q_lora_rank{0};      //!< r_q: width of the compressed query; 0: not compressed
    uint64_t kv_lora_rank{0};     //!< r_kv: width of the compressed keys and values
    uint64_t qk_nope_head_dim{0}; //!< d_n: part of a head's query and key without position
    uint64_t qk_rope_head_dim{0}; //!< d_r: part with position; its key is shared by all heads
    uint64_t v_head_dim{0};       //!< d_v: value of a head

    /** Multi-token prediction (MTP): extra modules after the last layer, each one layer with a
     *  projection of 2 h x h in front and the output layer behind (DeepSeek-V3 s.2.2). Their layers
     *  are numbered from num_hidden_layers on. */
    uint64_t num_nextn_predict_layers{0};

    /**
     * @param layer global number; those of MTP modules follow the others and are of the last one's
     *        kind, as in Megatron.
     * @return whether it has experts.
     */
    bool IsMoeLayer(uint64_t layer) const;
    /** @return how many of the num_hidden_layers layers have experts. */
    uint64_t CountMoeLayers() const;
    /** @return whether attention is latent (MLA). */
    bool HasLatentAttention() const;
    /** @return width of a head's query and key: head_dim, or d_n + d_r under MLA. */
    uint64_t GetQueryHeadDim() const;
    /** @return width of a head's value: head_dim, or d_v under MLA. */
    uint64_t GetValueHeadDim() const;

    // What the family implies. The reader sets these; plain numbers may choose freely.
    bool gated_mlp{true};              //!< SwiGLU with three matrices, else GeLU with two
    bool layer_norm_bias{false};       //!< LayerNorm (weight and bias), else RMSNorm (weight)
    bool learned_positions{false};     //!< a table of max_position_embeddings x hidden_size
    bool qkv_bias{false};              //!< biases on query, key, value (MLA: on what compresses)
    bool attention_output_bias{false}; //!< bias on the attention output
    bool mlp_bias{false};              //!< biases on the MLP matrices
    bool qk_norm{false};               //!< RMSNorm of head_dim on queries and on keys

    /**
     * Reads a Hugging Face config.json.
     *
     * Multimodal files may nest the keys under text_config. Old and new spellings are accepted
     * (torch_dtype and dtype; gpt2's n_embd and hidden_size; num_local_experts, num_experts and
     * n_routed_experts); if several stand there they must agree. Unknown keys are ignored, as these
     * files are full of them; so are, knowingly, those of rotary embeddings (rope_theta,
     * rope_scaling, rope_parameters) and DeepSeek's head_dim, which is qk_rope_head_dim again.
     *
     * @param fileName the file.
     * @return the shape, validated.
     * @throw ConfigError if the file cannot be read, is no JSON, has an unknown model_type, lacks
     *        a key, or holds values that contradict each other.
     */
    static ModelConfig ReadFile(const std::string& fileName);

    /**
     * The same from text.
     * @param text a JSON object.
     * @param source name of the file, for errors.
     * @param path where in the file the object stands, e.g. "model"; empty: it is the file.
     * @return the shape, validated.
     * @throw ConfigError as above.
     */
    static ModelConfig ParseText(const std::string& text,
                                 const std::string& source,
                                 const std::string& path = "");

    /**
     * Sets what a family implies: norms, biases, gates, positions.
     * @param modelType one of GetFamilyNames.
     * @return false if the family is not known.
     */
    bool SetFamily(const std::string& modelType);

    /** @return the families that can be read, as model_type names them, in alphabetical order. */
    static const std::vector<std::string>& GetFamilyNames();

    /**
     * Fills in the derived defaults (head_dim, num_key_value_heads, intermediate_size,
     * moe_intermediate_size) and checks that the shape makes sense.
     * @param source name of the file, for errors.
     * @param path where in the file the model stands; empty: it is the file.
     * @throw ConfigError.
     */
    void Validate(const std::string& source = "ModelConfig", const std::string& path = "");
};

} // namespace llm
} // namespace ns3

#endif // LLM_MODEL_CONFIG_H
