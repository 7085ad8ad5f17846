/**
 * What the reference document of a plugin demands: one id for every field, default, reason, status, record and step. A test
 * cites the ids that it proves in a comment, `// req: id, id`; `requirements.test.ts` fails on an id that none cites.
 */
export interface Requirement {
  readonly id: string
  readonly says: string
}

function under(prefix: string, sentences: Readonly<Record<string, string>>): readonly Requirement[] {
  return Object.entries(sentences).map(([name, says]) => ({ id: `${prefix}:${name}`, says }))
}

export const REQUIREMENTS: readonly Requirement[] = [
  ...under('ibac:field', {
    judge_endpoint: 'Required. Base URL of the judge; questions are POSTed to {judge_endpoint}/v1/chat/completions.',
    judge_model: 'Required. The model that the question names.',
    judge_bearer: 'Bearer token for the judge; empty for one that asks for none.',
    system_prompt: 'Replaces the built-in system prompt.',
    timeout_ms: 'Time for a question. Values below 100 are refused at start.',
    judge_inference: "True also judges the agent's own questions to its model.",
    agent_llm_host: "Host of the agent's own model, added to the host bypass; its port is stripped.",
    bypass_hosts: 'Host globs that are not judged. Globs that match about everything are refused at start.',
    bypass_paths: 'Path globs that are not judged. Globs that match about everything are refused at start.',
    no_intent_policy: 'What happens to an action without user intent: allow skips, deny refuses.',
    unclassified_policy: 'What happens to traffic that no parser claimed: passthrough lets it pass, judge judges it.',
  }),
  ...under('ibac:default', {
    judge_bearer: 'Empty: no Authorization header.',
    system_prompt: 'Built-in: asks for {"verdict":"allow"|"deny","reason":"..."} and for deny when ambiguous.',
    timeout_ms: '5000.',
    judge_inference: 'false.',
    agent_llm_host: 'Empty.',
    bypass_hosts: 'keycloak.*, keycloak, spire-server.*, spire-agent.*, otel-collector.*, jaeger.*, prometheus.*.',
    bypass_paths: '/.well-known/*, /healthz, /readyz, /livez.',
    no_intent_policy: 'allow.',
    unclassified_policy: 'passthrough.',
  }),
  ...under('ibac:start', {
    footgun: 'Bare *, /* and empty entries of the bypass lists are refused with a message that says what to do.',
    requires_any: 'The chain must hold mcp-parser or inference-parser.',
    outbound: 'It stands in the outbound chain only.',
    a2a_not_required: 'a2a-parser is needed at run time, not in this chain.',
  }),
  ...under('ibac:step', {
    reentrancy: "The judge's own question, marked X-IBAC-Judge: 1, is not judged.",
    sentinel_sent: 'Every question carries X-IBAC-Judge: 1.',
    path_bypass: 'A path on the list is not judged.',
    host_bypass: 'A host on the list is not judged.',
    classification: 'Mechanics are skipped, actions are judged.',
    inference: 'An inference action is skipped unless judge_inference is on.',
    intent: 'The newest user intent of the session is what the action is held against.',
    describe_request: 'The judge always sees the request line, and the body of what no parser claimed.',
    describe_tool: "Of a tool call the judge sees the tool's name and its arguments.",
    describe_inference: 'Of a judged inference the judge sees the model and the first user message.',
    no_secrets: 'Authorization and Cookie never reach the judge.',
    ask: 'The question is a chat completion; the caller’s deadline applies on top of timeout_ms.',
    verdict: 'allow goes on, deny is refused.',
    order: 'The steps come in their order; the first that ends it ends it.',
  }),
  ...under('ibac:reason', {
    blocked: 'ibac.blocked, 403: the judge denied.',
    judge_uncertain: 'ibac.judge_uncertain, 403: the judge answered, and not with one known verdict.',
    judge_unavailable: 'ibac.judge_unavailable, 503: unreachable, timed out, or an error status.',
    no_intent: 'ibac.no_intent, 403: a session without user intent under no_intent_policy: deny.',
    no_session: 'ibac.no_session, 403: no session under no_intent_policy: deny.',
  }),
  ...under('ibac:record', {
    aligned: 'allow/aligned.',
    blocked: 'deny/blocked.',
    judge_uncertain: 'deny/judge_uncertain.',
    judge_unavailable: 'deny/judge_unavailable.',
    no_intent: 'deny/no_intent.',
    no_session: 'deny/no_session.',
    path_bypass: 'skip/path_bypass.',
    host_bypass: 'skip/host_bypass.',
    protocol_mechanics: 'skip/protocol_mechanics.',
    inference_bypass: 'skip/inference_bypass.',
    no_user_context: 'skip/no_user_context.',
    llm_reason: "The judge's reason is in the record as llm_reason.",
  }),
  ...under('ibac:limit', {
    no_retry: 'A failed question is not asked again.',
    standalone_client: 'Questions go over connections of their own, not through a proxy.',
    per_request: 'Nothing is carried from one action to the next; a kept verdict answers the very same question only.',
  }),
  ...under('sparc:field', {
    reflector_endpoint: 'Required. Base URL of the service; questions are POSTed to {reflector_endpoint}/reflect.',
    reflector_bearer: 'Bearer token for the service; empty for one that asks for none.',
    enforcement: 'mcp looks at the outbound tool call, inference at the model’s answer.',
    track: 'fast_track, slow_track, syntax, spec_free or transformations_only; the service is told.',
    on_reject_action: 'observe lets a rejected call through, reflect answers with a clarification, deny blocks.',
    deny_score_threshold: 'In [0,1]: a reject whose score is this or lower is denied; 0 disables that.',
    fail_policy: 'Without a verdict: open allows and records, closed blocks.',
    timeout_ms: 'Time for one reflection. Values below 100 are refused at start.',
    skip_tools: 'Globs of tools that are not reflected on.',
    reflect_tools: 'Where it is not empty, only tools that match are reflected on.',
    bypass_hosts: 'Host globs that are skipped without reflecting.',
    bypass_paths: 'Path globs that are skipped without reflecting.',
  }),
  ...under('sparc:default', {
    reflector_bearer: 'Empty: no Authorization header.',
    enforcement: 'mcp.',
    track: 'fast_track.',
    on_reject_action: 'reflect.',
    deny_score_threshold: '0.',
    fail_policy: 'open.',
    timeout_ms: '30000.',
    skip_tools: 'None.',
    reflect_tools: 'None: all tools are reflected on.',
    bypass_hosts: 'Built-in, as those of ibac.',
    bypass_paths: 'Built-in, as those of ibac.',
  }),
  ...under('sparc:start', {
    requires_any: 'The chain must hold inference-parser or mcp-parser.',
    outbound: 'It stands in the outbound chain only.',
  }),
  ...under('sparc:input', {
    messages: 'The service gets the conversation with every role, the system prompt included.',
    tools: 'The service gets the tool specifications in OpenAI’s function-calling form.',
    call: 'The service gets the proposed call: its tool and its arguments.',
    missing: 'Without conversation or tools nothing is reflected on: fail_policy decides.',
  }),
  ...under('sparc:sentinel', {
    sent: 'Every question carries X-SPARC-Reflect: 1.',
    honoured: 'A request with that mark is skipped on the way to the reflector itself, and nowhere else.',
  }),
  ...under('sparc:policy', {
    escalates: 'A reject with a score at or below deny_score_threshold is denied, whatever on_reject_action says.',
    escalates_observe: 'Under observe as well.',
    without_identity: 'Conversation, tools and call are all that is reflected on: no identity, no header.',
    asked_once: 'One reflection for each call that is not skipped; a failed one is not asked again.',
  }),
  ...under('sparc:clarification', {
    acts: 'It is written for a model: what was not grounded, the suggested correction, ask the user.',
  }),
  ...under('sparc:reason', {
    reflected: 'sparc.reflected: a reject was handed to the agent as a clarification.',
    blocked: 'sparc.blocked, 403: a reject was denied, or escalated by its score.',
    reflector_unavailable:
      'sparc.reflector_unavailable: no verdict, or decision=error. 503 under closed, passes under open.',
    no_inference_context: 'sparc.no_inference_context: nothing to ground against. 503 under closed, passes under open.',
  }),
  ...under('sparc:record', {
    approved: 'allow, with tool and score.',
    reject_observed: 'observe/reject_observed.',
    reflected: 'modify/reflected.',
    blocked: 'deny/blocked.',
    reflector_unavailable: 'A call that passes without a verdict is recorded as such; one that does not is a deny.',
    no_inference_context: 'A call that passes without context is recorded as no_inference_context.',
    verdict: 'The whole verdict: decision, score, track, enforcement, and each issue with explanation and correction.',
  }),
  ...under('sparc:parsers', {
    every_role: 'The conversation of the agent’s question to its model keeps every role, the system prompt included.',
    tools_form: 'The tools of that question are in OpenAI’s function-calling form, whatever dialect they came in.',
    proposed_in_mcp: 'In mcp mode the proposed call is the outbound tools/call.',
    proposed_in_completion: 'In inference mode the proposed call is the one in the model’s answer.',
    clarification_result:
      'A clarification answers a tools/call as its result, with HTTP 200, like any output of a tool.',
    blocked_status: 'A call that is denied in mcp mode is 403.',
  }),
]
