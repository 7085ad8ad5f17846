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
    per_request: 'Nothing is remembered from one action to the next.',
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
