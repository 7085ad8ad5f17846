import type { EffectClass } from './effects.ts'

/** Regular expressions over lower and upper case alike. Every repetition is bounded, so that none searches back and forth. */

/** Text that speaks to the agent itself. */
export const AGENT_DIRECTED =
  /ignore (?:all |any |the |your |my )?(?:previous|prior|above|earlier|other|preceding)|disregard (?:all|any|the|your|previous|prior)|forget (?:all|everything|your|previous)|(?:important|urgent) (?:message|instruction|notice|note|system)[^.\n]{0,40}(?:from me|to you|for you|assistant|agent|model)|before you can (?:solve|complete|continue|finish|proceed|do)|(?:the |your )(?:task|instructions?|request) (?:that )?(?:i|you|the user) (?:gave|were given|was given|asked|received)|new instructions?|system prompt|(?:as|you are|dear|hey|hello|hi|attention),? (?:an? )?(?:ai|llm|assistant|language model|agent|chatbot|gpt|claude|gemini|model)\b|\b(?:ai|llm|language model) (?:assistant|agent|model)|<\/?(?:information|system|instructions?|admin|user|important|task|assistant|inst|prompt)>|\[(?:system|inst|admin|important)\]|override|original task|previous task|user'?s? (?:task|instruction|request|goal)|(?:do|perform|execute|complete) the following (?:first|instead|task|action|instruction|before)|instead,? (?:do|please|you)|todo:|you must (?:now|first|immediately)|(?:note|message|memo|notice|instructions?|reminder) (?:to|for) (?:the |any |all )?(?:ai|ais|assistants?|agents?|models?|bots?|llms?|chatbots?)\b|\b(?:any|the|all|every) (?:ai|assistants?|agents?|models?|llms?|bots?)\b[^.\n]{0,20}\b(?:reading|processing|handling|reads?|process(?:es)?|must|should|shall|has to|have to)\b|\bif you(?: are|'re) (?:an?|the) (?:ai|assistant|llm|agent|bot|(?:large )?language model)\b|\b(?:do not|don'?t|without|never|avoid) (?:mention|tell|inform|notify|alert|reveal|disclose|report)(?:ing)? (?:this|it|that|the user|anyone|anybody|to the user)\b|\b(?:the|your) (?:user|principal|owner|operator) (?:has |have |also |already )*(?:wants?|asked|requested|requires?|authori[sz]ed|approved|instructed|expects?|needs?)\b|\byour (?:real|actual|true|new|next|first|primary|updated|current) (?:task|goal|instructions?|objective|job|mission|priority)\b|\b(?:before|prior to) (?:(?:you|they|it|he|she|we|anybody|anyone) )?(?:answer|answering|respond|responding|reply|replying|proceed|proceeding|continue|continuing)\b|\b(?:resume|return to|go back to|get back to|continue with|proceed with) (?:the |your )(?:original|user'?s?|previous|earlier|main|initial)\b|<\|[a-z_]{1,20}\|?>|^\s*#{2,} ?(?:instructions?|system|response|user|assistant)\b|^\s*(?:assistant|system|human)\s*:|\bend of (?:context|document|data|prompt|user input|instructions?)\b|\b(?:in order )?to (?:complete|finish|unlock|continue|proceed with|access) (?:this|the|your) (?:task|request|process|action|operation)\b[^.\n]{0,40}\b(?:you|must|first|need)\b|\b(?:call|invoke|use|run|execute) (?:the |your )?`?\w{2,40}`? (?:tool|function)\b|\b(?:supersedes?|overrides?|takes? precedence over|replaces?) (?:all |any |the |your |previous |other |earlier |user )*(?:instructions?|requests?|tasks?|rules?|polic(?:y|ies)|guidelines?)\b/i

const ALL =
  '(?:all |any |the |your |my |these |those |this |everything |of |previous |prior |earlier |former |above |other |old |current ){0,8}'
const ORDERS =
  '(?:instructions?|orders?|tasks?|requests?|rules?|plans?|commands?|guidelines?|jobs?|goals?|prompts?|policy|policies|users?|above|thought|steps?)'

/** Text that puts itself in the place of what the agent was told. */
export const OVERRIDES = new RegExp(
  [
    `\\b(?:ignore|disregard|forget|abandon|drop|scrap|skip|override|overrule|bypass|discard|cancel) ${ALL}${ORDERS}\\b`,
    '\\b(?:ignore|disregard|forget|drop|stop) (?:what|whatever|everything|anything) (?:you|the user)\\b',
    '\\b(?:ignore|disregard|forget) (?:the|your) user\\b',
    '\\bnew (?:task|order|job|instruction|goal|mission|directive|assignment)s?\\b',
    "\\b(?:you are|you're) now\\b|\\bfrom now on,? (?:you|only)\\b|\\byou (?:now )?only (?:obey|follow|answer|listen)\\b",
    `\\b${ORDERS} (?:have|has|is|are|was|were) (?:been )?(?:now )?(?:changed|replaced|updated|cancell?ed|void|suspended|revoked|obsolete|withdrawn|superseded)\\b`,
    '\\b(?:overrides?|outranks?|overrules?|supersedes?|replaces?) (?:everything|anything|all|every|whatever)\\b',
    '\\bdo (?:this|that|the following) (?:instead|first|now|right now|immediately)\\b',
    "\\b(?:say|tell) (?:nothing|nobody|no one)\\b|\\bkeep (?:quiet|silent)\\b|\\bno (?:further )?questions\\b|\\bwithout (?:asking|further|telling|mentioning|informing)\\b|\\bdo(?: not|n't) (?:mention|tell|ask|report)\\b",
  ].join('|'),
  'i',
)

/** Text that is dressed up as a message of the machinery. */
export const MACHINE_VOICE = new RegExp(
  [
    '\\b(?:system|platform|administrator|admin|runtime|operator|developer)[ _-](?:notice|message|alert|override|note|advisory|prompt|instruction|command|directive)s?\\b',
    '^[^\\p{L}\\p{N}]{0,8}(?:system|sys|administrator|operator|runtime|(?:assistant|agent|ai|bot|model) [a-z]{2,12})\\b[^\\n]{0,24}[:>\\]=}*|#~-]',
    '\\[/?inst\\]|<</?sys>>|\\{\\{[#/]?(?:system|agent|assistant)|\\brole["\']?\\s*[:=]\\s*["\']?(?:system|user|assistant|operator)\\b',
    '\\b(?:tool_call|function_call|required_action|agent_must|post_read_action|on_read|next_action)\\b',
    '\\bhidden (?:instructions?|text|note)\\b',
  ].join('|'),
  'iu',
)

/** Whom text for a machine speaks to or of. */
export const MACHINE =
  /\b(?:assistants?|ais?|a\.i\.|llms?|(?:chat)?bots?|robots?|copilots?|(?:language )?models?|(?:ai |digital )?agents?|automations?|machine users?|automated (?:contributors?|readers?|systems?|clients?|processes))\b/i

/** What somebody has to do. */
export const DEONTIC =
  /\b(?:must|shall|should|ought to|(?:has|have|had|needs?|is|are|was|were) to|(?:is|are) (?:required|asked|expected|requested|obliged|supposed)|required|mandatory|obligatory|please|kindly)\b/i

/** Work that is slipped in before, into or behind another. */
export const SLIPPED_IN =
  /\b(?:before|prior to) (?:(?:you|they|it|he|she|we|anybody|anyone) )?(?:answer|continu|proceed|repl|respond|anything else|further|going on|go on|doing|the rest|commenting|using|any )|\b(?:then|afterwards?|after that) (?:you may |you can )?(?:go on|continue|proceed|carry on|resume)\b|\bto (?:continue|proceed|go on|resume|unlock)\b|\bup?on (?:reading|first contact|opening|receipt|seeing)\b|\bwhen you (?:read|see|come across|process|open|find) this\b|\b(?:whoever|whichever|anyone who|everybody who) (?:reads?|handles?|picks?|touch(?:es)?|process(?:es)?|comes?|opens?|sees?|finds?)\b|\bif you (?:read|are reading|can read|see|happen to)\b|\bwhile you(?:'re| are) (?:at it|here|there|in)\b|\balong with the rest\b|\bin the (?:name|place) of (?:the|your) user\b|\buntil then\b/i

/** Text that asks somebody for something. */
export const REQUEST =
  /\b(?:please|kindly)\b|\byou (?:should|must|need to|have to|are required|are asked|will need|shall|ought)\b|\b(?:make sure|be sure|don'?t forget|remember) to\b|\b(?:i|we) (?:want|need|would like|request|ask|require) (?:that )?(?:you|to)\b|\b(?:i|we) (?:suddenly |also |urgently |really )?need\b|\b(?:could|can|would|will) you\b|\bnecessary (?:to|that)\b|\bimmediately\b/i

/** Here a text that spoke to the agent ends. */
export const ZONE_END = /<\/\w+>|^(?:signed|thanks|thank you|regards|best|cheers)\b.{0,12}$|\bthanks!$/i

/** Tags that no document has, and that a model may take for its operator. */
export const PSEUDO_TAG =
  /<(information|system|instructions?|admin|important|task|assistant|inst|prompt|user|override)>/i

const DEED =
  'do|perform|complete|follow|fulfil+|execute|handle|carry out|take care of|achieve|finish|process|act on|work through|' +
  'work on|address|resolve|implement|deal with|sort out|see to|apply'
const ASSIGNMENT =
  'actions?|tasks?|instructions?|todos?|to-?dos?|requests?|steps?|homework|assignment|directions?|it|them|this|that|those|these|' +
  'everything|what (?:he|she|they|it) \\w{1,40}'
const HANDING_OVER = `\\b(?:${DEED})\\b[^.!?]{0,60}\\b(?:${ASSIGNMENT})\\b`

/** The user hands over to what some text says. */
export const DELEGATION = new RegExp(
  `${HANDING_OVER}|` +
    '\\b(?:ask(?:ed|s)?|request(?:ed|s)?|want(?:ed|s)?|told|invited|instruct\\w{0,9}|sent|shared|emailed|email) (?:me|us)\\b|' +
    '\\baccording(?:ly)?\\b|\\bas (?:described|specified|requested|instructed|listed|mentioned|explained|outlined)\\b|\\binstructions?\\b|' +
    '\\bspecified in\\b|\\b(?:bill|invoice)\\b|\\bbased on\\b|\\b(?:mentioned|listed|described|given) (?:on|in)\\b|' +
    '\\b(?:shared|emailed) (?:a|an|the|some)\\b',
  'i',
)

/** The user hands over whatever that text asks for. */
export const OPEN_DELEGATION = new RegExp(
  `${HANDING_OVER}|\\b(?:ask(?:ed|s)?|request(?:ed|s)?|want(?:ed|s)?|told|instruct\\w{0,9}) (?:me|us)\\b|\\binstructions?\\b`,
  'i',
)

const DETAIL =
  'details?|information|info|link|url|website|address|number|amount|data|requirements?|guidelines?|specifications?|particulars|dates?|times?|names?|list'
const WRITING =
  'messages?|e-?mails?|mails?|notes?|files?|documents?|docs?|pages?|websites?|sites?|posts?|comments?|issues?|tickets?|threads?|chats?|' +
  'channels?|conversations?|readme|wiki|article|letter|attachment|calendar|event|invitation|inbox|dm|dms'

/** The user points at a text for what the deed needs, and says the deed himself. */
export const VALUE_DELEGATION = new RegExp(
  `\\b(?:${DETAIL})\\b[^.!?\\n]{0,40}\\b(?:in|on|from|at|of) (?:\\w{1,20} ){0,3}(?:${WRITING})\\b|` +
    `\\b(?:see|check|read|refer to|consult|look at|use|take|get|find|found) [^.!?\\n]{0,40}\\b(?:${WRITING})\\b[^.!?\\n]{0,40}\\b(?:for|to|and)\\b`,
  'i',
)

/** Parameters that say where something goes. */
export const DESTINATION_PARAMETER =
  /recipient|^to$|^cc$|^bcc$|email|mail_to|url|link|website|host|domain|iban|account|participants|attendee|invitee|user$|username|user_email|channel|destination|webhook|phone|address|payee|beneficiary|receiver|contact|member|collaborator|endpoint|uri|repo|owner/i

/** Parameters that hold prose. */
export const CONTENT_PARAMETER =
  /body|content|text|description|message|comment|notes?|summary|subject|title|input_values/i

/** What asks for an effect without one of its verbs. */
export const ASKING_PHRASES: readonly (readonly [RegExp, EffectClass])[] = [
  [/\blet (?:\w{1,30} ){1,4}know\b|\breach out\b|\bget back to\b|\bdrop (?:\w{1,30} ){1,3}(?:line|note)\b/, 'send'],
  [/\bgive (?:\w{1,30} ){1,6}(?:access|permissions?|rights)\b/, 'share'],
  [/\bget rid of\b|\btake (?:\w{1,30} ){0,4}(?:down|off)\b/, 'delete'],
  [/\bsign (?:\w{1,30} ){0,3}up\b|\bjot (?:\w{1,30} ){0,3}down\b/, 'create'],
  [/\b(?:turn|switch) (?:\w{1,30} ){0,4}(?:on|off)\b/, 'update'],
]

/** Money, or an account. */
export const AMOUNT =
  /(?:[$€£]\s?\d)|\b\d{1,15}(?:[.,]\d{1,15})?\s?(?:usd|eur|gbp|chf|dollars?|euros?|pounds?|[$€£])|\b\d{1,15}\.\d\d\b|\b[a-z]{2}\d{8,30}\b/i
