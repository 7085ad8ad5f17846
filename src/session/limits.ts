/** What one session, or the store, may hold at most. The configurable limits are in `SessionOptions`. `docs/sessions.md` has the table. */
export const LIMITS = {
  /** Names under which one session is found; the one unused longest is forgotten first. */
  contexts: 16,
  tasks: 64,
  /** A longer name is kept as its digest. */
  keyChars: 256,
  /** Trace ids of user messages, and of other requests such as polls, which come in far greater number. */
  spokenTraces: 32,
  otherTraces: 16,
  /** A trace id is 32 characters. What is longer is none. */
  traceIdChars: 64,
  /** Intents that are kept for `intents(turns)`. */
  intents: 16,
  /** Messages, and characters, that make up one intent; its first message and the newest ones stay. */
  intentMessages: 32,
  intentChars: 32_768,
  /** One user message. Its beginning and its end stay. */
  userTextChars: 16_384,
  /** One text that was heard, and all of one session. */
  heardTextChars: 32_768,
  heardChars: 131_072,
  /** All sessions together; beyond it a session that hears something new is cut down to `heardCharsCrowded`. */
  heardCharsOverall: 134_217_728,
  heardCharsCrowded: 8_192,
  /** Exchanges with models that a session remembers, and what they show, each message and tool of a session once. */
  conversations: 8,
  conversationChars: 2_097_152,
  /** All sessions together; beyond it the oldest exchanges of all go. */
  conversationCharsOverall: 134_217_728,
  /** What it counts that an exchange shows a message or tool which is held already. */
  referenceChars: 8,
  /** What it counts besides the JSON: each message or tool, and each member and element in it. About what they take. */
  partChars: 192,
  valueChars: 32,
  /** Calls of one answer by which its exchange is found; a tool with a longer name is not found. */
  proposals: 128,
  proposedToolChars: 256,
  /** Exchanges with models that are nobody's in particular, per workload. */
  strayConversations: 64,
  /** What tools answered, in all sessions together; how much one session keeps is its gates' wish. */
  resultBytesOverall: 268_435_456,
  /** What it counts that a result is kept, besides its text and its arguments. */
  resultBytes: 512,
  resultToolChars: 256,
  /** Results that look alike at first, among which one is looked for. */
  resultsAlike: 16,
  /** Digests of results that were forgotten, so that they are not taken for new when an agent repeats them. */
  forgottenResults: 1_024,
  /** Arguments that are nested deeper stay the text they were. */
  argumentsDepth: 64,
  destinations: 256,
  /** Sessions that a resolution names; gates ask about far fewer. */
  candidates: 64,
  /** What a tombstone remembers of its session. */
  tombstoneContexts: 4,
  tombstoneTasks: 8,
  tombstoneTraces: 8,
  /** Per workload. */
  notes: 10_000,
} as const
