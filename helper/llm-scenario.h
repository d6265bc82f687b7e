/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_H
#define LLM_SCENARIO_H

#include "ns3/llm-accelerator.h"
#include "ns3/llm-parallel-config.h"
#include "ns3/llm-training-config.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Everything that one run of llm-training-sim is told: a plain struct, filled in by ScenarioReader
 * or by hand. Every field has a default with which the whole runs. The table in ScenarioFields
 * gives each field its JSON path, unit, range and description; comments here only say what is not
 * said there.
 */
struct Scenario
{
    /** The model. */
    struct Model
    {
        std::string config{"gpt2"};                   //!< preset, file, or a JSON object as text
        std::map<std::string, std::string> overrides; //!< keys of the model file
    };

    /** One flow, written down in the scenario. */
    struct FlowEntry
    {
        std::set<std::string> given; //!< fields that somebody set
        uint32_t from{0};
        uint32_t to{0};
        uint64_t bytes{0};
        int64_t start_ps{0};
        uint32_t traffic_class{3};
    };

    /** Somebody else's workload, instead of a model. */
    struct Workload
    {
        std::string format{"model"};
        std::string file;
        std::string groups;
        std::string pattern{"permutation"};
        uint64_t bytes{1048576};
        uint32_t fan_in{0};
        int64_t start_ps{0};
        int64_t stagger_ps{0};
        std::vector<FlowEntry> flows;
    };

    /** The machines. */
    struct Cluster
    {
        uint32_t accelerators{0};
        uint32_t accelerators_per_server{8};
        int64_t scale_up_latency_ps{1000000};
        std::string scale_up{"analytic"};
        std::string placement_policy{"packed"};
        std::vector<uint32_t> placement;
    };

    /** Flows that switches send over a certain port. */
    struct RoutePin
    {
        std::string at; //!< field switch
        uint32_t source{0};
        uint32_t destination{0};
        uint32_t queue_pair{0};
        uint32_t uplink{0};
        std::set<std::string> given; //!< fields that were set
    };

    /** Connections that have a certain path. */
    struct PathPin
    {
        uint32_t source{0};
        uint32_t destination{0};
        uint32_t channel{0};
        uint32_t entropy{0};
        uint32_t path{0};
        std::set<std::string> given; //!< fields that were set
    };

    /** The network. */
    struct FabricSection
    {
        std::string topology{"leaf-spine"};
        uint32_t hosts{0};
        uint32_t leaves{2};
        uint32_t spines{8};
        uint32_t hosts_per_leaf{8};
        uint32_t links_per_pair{1};
        uint32_t k{4};
        double oversubscription{1};
        uint32_t tiers{3};
        uint32_t radix{8};
        std::vector<uint32_t> clos_down;
        std::vector<uint32_t> clos_up;
        uint32_t planes{1};
        uint32_t segments{1};
        uint32_t servers_per_segment{4};
        bool dual_tor{false};
        uint32_t groups{0};
        uint32_t routers_per_group{4};
        uint32_t hosts_per_router{2};
        uint32_t global_links{2};
        int64_t global_delay_ps{0};
        std::vector<uint32_t> dimensions{4, 4};
        bool wrap{true};
        bool dimension_order{false};
        std::string graph;
        std::string file;
        uint64_t host_rate{400000000000};
        int64_t host_delay_ps{500000};
        uint64_t uplink_rate{400000000000};
        int64_t uplink_delay_ps{500000};
        uint32_t path_mtu{4096};
        bool floor_ns{false};
        uint32_t ip_mtu{1500};
        uint64_t buffer{33554432};
        uint64_t reserve{4096};
        double alpha{0.125};
        uint64_t xon_offset{3072};
        uint64_t headroom{0};
        bool pfc{true};
        std::vector<uint32_t> lossless_classes{3};
        std::vector<uint32_t> strict_classes{6, 7};
        std::vector<uint32_t> class_weights;
        bool ecn{true};
        uint64_t ecn_kmin{0};
        uint64_t ecn_kmax{0};
        double ecn_pmax{0.2};
        bool ecn_mark_at_dequeue{false};
        std::string load_balancing{"ecmp"};
        std::map<std::string, std::string> load_balancing_attributes;
        uint64_t ecmp_seed{0};
        std::string ecmp_hash{"mix"};
        bool ecmp_hash_queue_pair{false};
        std::vector<RoutePin> pins;
        double loss_rate{0};
        uint64_t loss_interval{0};
        int64_t reconvergence_ps{50000000000};
    };

    /** How switches store and forward; in section "fabric" of a scenario file. */
    struct SwitchSection
    {
        std::string switching{"store_and_forward"};
        int64_t switch_latency_ps{0};
        bool trimming{false};
        uint32_t trim_class{6};
        std::string buffer_model{"shared"};
        std::string buffer_policy{"dynamic"};
        uint64_t static_threshold{1048576};
        double headroom_oversubscription{1};
        uint64_t xon{0};
        uint64_t ingress_pool{0};
        uint64_t egress_lossless_pool{0};
        uint64_t egress_lossy_pool{0};
        uint64_t egress_reserve{0};
        double egress_alpha{1};
        std::string pfc_watchdog{"off"};
        int64_t pfc_watchdog_detection_ps{200000000000};
        int64_t pfc_watchdog_restoration_ps{200000000000};
        int64_t pfc_watchdog_poll_ps{100000000000};
        std::string check_deadlock{"warn"};
    };

    /** How messages travel. */
    struct Transport
    {
        std::string kind{"rdma"};
        std::string headers{"roce"};
        std::string congestion_control{"default"};
        std::map<std::string, std::string> congestion_control_attributes;
        uint32_t ack_interval{1};
        std::string verb{"write"};
        uint32_t max_reads{16};
        std::string port_selection{"hash"};
        int64_t transmit_delay_ps{0};
        int64_t receive_delay_ps{0};
        int64_t ack_delay_ps{0};
        int64_t cnp_delay_ps{0};
        std::string reliability{"go_back_n"};
        std::map<std::string, std::string> reliability_attributes;
        std::string timers{"default"};
        uint32_t timeout{0};
        uint32_t retry_count{7};
        uint32_t traffic_class{3};
        std::string path_selector{"single"};
        std::map<std::string, std::string> path_selector_attributes;
        std::vector<PathPin> path_pins;
        std::map<std::string, std::string> attributes;
    };

    /** How collectives become messages. */
    struct Collectives
    {
        std::string all_reduce{"ring"};
        std::string all_gather{"ring"};
        std::string reduce_scatter{"ring"};
        std::string broadcast{"ring"};
        std::string reduce{"ring"};
        std::string all_to_all{"direct"};
        uint32_t channels{1};
        uint64_t slice_bytes{1048576};
        std::string protocol{"auto"};
        int64_t simple_latency_ps{6000000};
        int64_t ll_latency_ps{1000000};
        int64_t ll128_latency_ps{2000000};
        int64_t scale_up_simple_latency_ps{2400000};
        int64_t scale_up_ll_latency_ps{0};
        int64_t scale_up_ll128_latency_ps{900000};
        uint32_t qps_per_connection{1};
        bool split_data_on_qps{false};
        bool clear_to_send{false};
    };

    /** Something that fails. */
    struct Event
    {
        std::set<std::string> given;
        int64_t at_ps{0};
        std::string kind{"link_down"};
        std::string target;
        int64_t duration_ps{0};
        int64_t period_ps{0};
        double duty{0.5};
        uint32_t count{1};
        uint64_t rate{0};
        double bit_error_rate{0};
        double factor{1};
        std::vector<uint32_t> classes{3};
    };

    /** Traffic beside the jobs: Poisson arrivals with an empirical distribution of sizes. */
    struct Background
    {
        std::set<std::string> given; //!< paths of the fields that somebody set
        std::string name;
        std::string distribution{"web_search"};
        std::string file;
        uint64_t bytes{0};
        double load{0.3};
        std::vector<uint32_t> sources;
        std::vector<uint32_t> destinations;
        uint32_t traffic_class{3};
        std::string congestion_control{"default"};
        std::map<std::string, std::string> congestion_control_attributes;
        int64_t start_ps{0};
        int64_t stop_ps{0};
    };

    /** Many to one at a time. */
    struct Incast
    {
        std::set<std::string> given; //!< paths of the fields that somebody set
        std::string name;
        std::vector<uint32_t> receivers;
        std::vector<uint32_t> senders;
        uint32_t fan_in{0};
        uint64_t bytes{500000};
        int64_t at_ps{0};
        int64_t period_ps{1000000000};
        uint32_t count{1};
        uint32_t traffic_class{3};
        std::string congestion_control{"default"};
        std::map<std::string, std::string> congestion_control_attributes;
    };

    /** Ordinary ns-3 applications over TCP or UDP. */
    struct IpTraffic
    {
        std::set<std::string> given; //!< paths of the fields that somebody set
        std::string name;
        std::vector<std::string> from;
        std::vector<std::string> to;
        uint64_t bytes{0};
        uint64_t rate{0};
        uint32_t packet_bytes{1400};
        uint32_t traffic_class{1};
        std::string congestion_control{"default"};
        int64_t start_ps{0};
        int64_t stop_ps{0};
    };

    /** The simulator itself. */
    struct SimulatorSection
    {
        std::string event_queue{"native"};
        int64_t stop_after_ps{0};
    };

    /** What is written. */
    struct Output
    {
        std::string folder{"out"};
        bool summary{true};
        bool collectives{true};
        bool flows{true};
        bool fct{false};
        bool pfc{true};
        bool ecn{true};
        bool queues{true};
        bool events{true};
        int64_t queue_interval_ps{100000000};
        std::vector<std::string> pcap;
    };

    /** When a run counts as stuck. */
    struct Watchdog
    {
        int64_t stall_time_ps{30000000000000};
        int64_t deadlock_interval_ps{0};
    };

    std::string source{"scenario"}; //!< file name, for errors
    std::string directory;          //!< relative file names start here; empty: working directory
    std::set<std::string> given;    //!< paths of the fields that somebody set
    uint32_t job{0};                //!< number of the job among several; see MakeJobScenario

    std::string name;
    uint32_t iterations{1};
    int64_t start_time_ps{0};
    uint64_t seed{1};
    uint64_t run{1};
    Model model;
    Workload workload;
    ParallelConfig parallelism;
    TrainingConfig training;
    AcceleratorConfig accelerator;
    std::string measured_times; //!< file, or a JSON object as text
    Cluster cluster;
    FabricSection fabric;
    SwitchSection switches;
    Transport transport;
    Collectives collectives;
    std::vector<Event> events;
    SimulatorSection simulator;
    Output output;
    Watchdog watchdog;
    std::vector<Scenario> jobs; //!< of each, only what is in given counts; the rest is as here
    std::vector<Background> background;
    std::vector<Incast> incasts;
    std::vector<IpTraffic> tcp;
    std::vector<IpTraffic> udp;
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_H
