import { TOKEN_USAGE } from '../agent-chat/agent-chat-schema.ts';
import { pageSchema } from '../list-page.ts';
import { EXACT_NON_BLANK_TEXT, NON_BLANK_TEXT } from '../../http/text-pattern.ts';
import {
  closedObject,
  count,
  dateTime,
  flag,
  nullableText,
  proofIds,
  share,
  text,
  texts,
} from '../../http/schema.ts';

const TITLE_LENGTH_MAX = 200;
const MESSAGE_LENGTH_MAX = 32_000;

const roundNumber = {
  type: 'integer',
  minimum: 1,
  description: 'Restarts at 1 with each message of the user',
} as const;
const stance = { type: 'number', minimum: -1, maximum: 1 } as const;
const proofs = proofIds;

export const NEW_CONVERSATION = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string', maxLength: TITLE_LENGTH_MAX, pattern: EXACT_NON_BLANK_TEXT },
  },
} as const;

export const NEW_MESSAGE = {
  type: 'object',
  properties: {
    content: {
      type: 'string',
      maxLength: MESSAGE_LENGTH_MAX,
      pattern: NON_BLANK_TEXT,
      description: 'Required, unless Last-Event-ID says which debate to go on reading',
    },
  },
} as const;

export const CONVERSATION = closedObject({
  conversation: closedObject({
    id: text,
    title: text,
    userId: text,
    workspaceId: text,
    createdAt: dateTime,
  }),
});

export const CONVERSATIONS = pageSchema(
  'conversations',
  closedObject({
    id: text,
    title: text,
    createdAt: dateTime,
    _count: closedObject({ messages: count }),
  }),
);

const MESSAGE_MEMBERS = {
  id: text,
  senderType: { enum: ['user', 'agent', 'synthesis'] },
  content: text,
  createdAt: dateTime,
  debateId: nullableText,
  proofs,
} as const;

const ANSWER_MEMBERS = {
  agentId: { ...text, description: 'This and all that follow: of what an agent said' },
  agentName: text,
  roundNumber,
  stances: {
    type: 'array',
    items: closedObject({
      issueId: text,
      stance: { ...stance, description: 'Against (-1) to for (1), in steps of a half' },
      confidence: share,
    }),
  },
  keyPoints: {
    type: 'array',
    items: closedObject({ id: text, text }),
    description: 'What it argued, the strongest first',
  },
  changedMind: { ...flag, description: 'A stance differs from that of the round before' },
  changeReason: nullableText,
  finishReason: {
    ...nullableText,
    description:
      'How the model ended it: `stop`, else it was cut off (`length`, `content_filter`), and ' +
      'content may be no more than its beginning; null: not known',
  },
  stale: { ...flag, description: 'Carried over: it did not answer this round in time' },
} as const;

const message = closedObject(MESSAGE_MEMBERS, ANSWER_MEMBERS);
export const otherMessage = closedObject(MESSAGE_MEMBERS);
export const agentMessage = closedObject({ ...MESSAGE_MEMBERS, ...ANSWER_MEMBERS });
const messages = { type: 'array', items: message } as const;

export const debates = {
  type: 'array',
  items: closedObject({
    messageId: { ...text, description: 'The message of the user that was debated' },
    roundNumber,
    convergenceScore: share,
    debateId: text,
    method: { enum: ['stance', 'lexical', 'mixed', 'single'] },
    participation: { ...share, description: 'Answers with a stance, of the agents asked' },
    blocs: {
      type: 'array',
      items: texts,
      description: 'Ids of agents who agree with each other; the largest first',
    },
    textSimilarity: { ...share, description: 'Of the words, whatever they say' },
    conformityFlips: { ...count, description: 'Stances that moved without a reason so far' },
    consensus: { type: ['number', 'null'], description: 'Tastle and Wierman; null: no stances' },
  }),
} as const;

export const wholeConversation = closedObject({
  id: text,
  title: text,
  createdAt: dateTime,
  messages,
  debates,
});

export const CONVERSATION_WITH_MESSAGES = closedObject({ conversation: wholeConversation });

const agents = { type: 'array', items: closedObject({ id: text, name: text }) } as const;

export const sides = {
  type: 'array',
  items: closedObject({
    issueId: text,
    side: { enum: ['for', 'against', 'undecided', null], description: 'null: not known' },
    agents,
    position: {
      ...text,
      description: 'Their conclusion or point on this issue, else how their answer begins',
    },
    strongestPoint: {
      ...nullableText,
      description: 'One of their keyPoints, word for word; the position of who made none on it',
    },
    strongestPointId: {
      ...nullableText,
      description: "Of that point among the keyPoints of the agent's message; null: it made none",
    },
    whatWouldChangeTheirMind: nullableText,
  }),
} as const;

export const synthesis = closedObject({
  content: text,
  consensus: {
    type: 'array',
    items: closedObject({
      issueId: text,
      proposition: text,
      verdict: {
        enum: ['support', 'oppose', 'split', 'none'],
        description:
          'What more than half of those with a stance hold; split: neither side does; none: ' +
          'nobody took a stance',
      },
      support: {
        ...stance,
        description: 'Mean stance, weighted by confidence: how strongly, not how many',
      },
    }),
  },
  dissent: { ...sides, description: 'Who does not stand with the majority on an issue' },
  camps: {
    ...sides,
    description: 'Of the issues that are split, where nobody dissents: what each side holds',
  },
  withoutStance: {
    ...agents,
    description: 'Those that answered without a stance that can be counted',
  },
  contradictions: {
    type: 'array',
    items: closedObject({
      issueId: text,
      agentId: text,
      agentName: text,
      statement: { ...text, description: 'What it says of the decision, word for word' },
      says: { enum: ['for', 'against'] },
      votes: { enum: ['for', 'against', 'undecided'] },
    }),
    description: 'Who says one thing and votes another, also when asked again; the vote counts',
  },
  openQuestions: texts,
  confidence: share,
  convergenceScore: share,
  rounds: { type: 'integer', minimum: 1 },
  absentAgents: { ...texts, description: 'Names of those whose last answer is not in it' },
  stoppedBy: {
    enum: ['converged', 'stable', 'oscillating', 'rounds', 'deadline', 'budget', 'single'],
  },
  fromTemplate: { ...flag, description: 'Written by rules, for the templateReason' },
  templateReason: {
    enum: ['no_provider', 'unavailable', 'form', 'incomplete', 'numbers', 'votes', null],
    description:
      'Why rules wrote the text: there is no provider, no model answered, or its text had the ' +
      'wrong form, left out a verdict or a dissent, had invented numbers, or did not agree with ' +
      'the votes; null: a model wrote it',
  },
});

export const DEBATE_RESPONSE = closedObject({
  messages,
  convergenceScore: { ...share, description: 'Of the last round' },
  debateId: text,
  debates,
  synthesis,
  usage: TOKEN_USAGE,
  proofs,
});
