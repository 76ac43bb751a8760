import { asMembers, asString } from './lenient.ts';

export type Dialect = 'chat-completions' | 'messages' | 'responses';

export type Coverage = {
  takeBody(dialect: Dialect, body: Members): void;
  takeFrame(dialect: Dialect, event: Members | undefined): void;
  takeEmbeddings(body: Members): void;
  takeNative(body: Members): void;
  takeNativeEvent(name: string): void;
  takeMcp(result: Members): void;
  notCovered(): string[];
};

type Members = Record<string, unknown>;

/**
 * Members that a certificate covers; `true` stands for a member with everything below it. `byType`
 * has the covered members of an object, or of each item of a list, by its type.
 */
type Covered = true | { readonly [member: string]: Covered } | ByType;
type ByType = { readonly byType: Readonly<Record<string, Covered>> };

const PATHS_MAX = 50;
const PATH_LENGTH_MAX = 80;

const CHAT_TEXT: Covered = {
  content: { byType: { text: { type: true, text: true } } },
  refusal: true,
  tool_calls: { index: true, id: true, function: { name: true, arguments: true } },
};

const CHAT: Covered = {
  model: true,
  choices: { index: true, finish_reason: true, message: CHAT_TEXT, delta: CHAT_TEXT },
  usage: { prompt_tokens: true, completion_tokens: true, total_tokens: true },
};

const EMBEDDINGS: Covered = {
  object: true,
  model: true,
  data: { object: true, index: true, embedding: true },
  usage: { prompt_tokens: true, total_tokens: true },
};

const BLOCKS: Covered = {
  byType: {
    text: { type: true, text: true },
    tool_use: { type: true, id: true, name: true, input: true },
  },
};

const MESSAGE_USAGE: Covered = {
  input_tokens: true,
  output_tokens: true,
  cache_read_input_tokens: true,
  cache_creation_input_tokens: true,
};

const MESSAGE: Covered = {
  model: true,
  content: BLOCKS,
  stop_reason: true,
  usage: MESSAGE_USAGE,
};

const MESSAGE_EVENTS: Readonly<Record<string, Covered>> = {
  message_start: { type: true, message: MESSAGE },
  content_block_start: { type: true, index: true, content_block: BLOCKS },
  content_block_delta: {
    type: true,
    index: true,
    delta: {
      byType: {
        text_delta: { type: true, text: true },
        input_json_delta: { type: true, partial_json: true },
      },
    },
  },
  content_block_stop: { type: true, index: true },
  message_delta: { type: true, delta: { stop_reason: true }, usage: MESSAGE_USAGE },
};

const MCP: Covered = {
  content: { byType: { text: { type: true, text: true } } },
  structuredContent: { content: true, synthesis: { content: true } },
};

const RESPONSE_PARTS: Covered = {
  byType: {
    output_text: { type: true, text: true },
    refusal: { type: true, refusal: true },
  },
};

const RESPONSE_ITEM: Covered = {
  byType: {
    message: { type: true, role: true, status: true, content: RESPONSE_PARTS },
    function_call: { type: true, status: true, call_id: true, name: true, arguments: true },
    compaction: { type: true, encrypted_content: true },
  },
};

const RESPONSE: Covered = {
  model: true,
  status: true,
  incomplete_details: true,
  output: RESPONSE_ITEM,
  usage: { input_tokens: true, output_tokens: true, total_tokens: true },
};

const EVENT = {
  type: true,
  sequence_number: true,
  output_index: true,
  content_index: true,
} as const;
const RESPONSE_EVENT: Covered = { ...EVENT, response: RESPONSE };

const RESPONSE_EVENTS: Readonly<Record<string, Covered>> = {
  'response.created': RESPONSE_EVENT,
  'response.in_progress': RESPONSE_EVENT,
  'response.completed': RESPONSE_EVENT,
  'response.incomplete': RESPONSE_EVENT,
  'response.failed': RESPONSE_EVENT,
  'response.output_item.added': { ...EVENT, item: RESPONSE_ITEM },
  'response.output_item.done': { ...EVENT, item: RESPONSE_ITEM },
  'response.content_part.added': { ...EVENT, part: RESPONSE_PARTS },
  'response.content_part.done': { ...EVENT, part: RESPONSE_PARTS },
  'response.output_text.delta': { ...EVENT, delta: true },
  'response.output_text.done': { ...EVENT, text: true },
  'response.refusal.delta': { ...EVENT, delta: true },
  'response.refusal.done': { ...EVENT, refusal: true },
  'response.function_call_arguments.delta': { ...EVENT, delta: true },
  'response.function_call_arguments.done': { ...EVENT, name: true, arguments: true },
};

const BODIES: Readonly<Record<Dialect, Covered>> = {
  'chat-completions': CHAT,
  messages: MESSAGE,
  responses: RESPONSE,
};

export function createCoverage(): Coverage {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (found.size < PATHS_MAX) found.add(name.slice(0, PATH_LENGTH_MAX));
  };
  return {
    takeBody: (dialect, body) => {
      visit(body, BODIES[dialect], '', add);
      addLaterFinishReasons(body, add);
    },
    takeFrame: (dialect, event) => {
      if (event === undefined) add('frames without a JSON object');
      else if (dialect === 'messages') visitEvent(event, MESSAGE_EVENTS, add);
      else if (dialect === 'responses') visitEvent(event, RESPONSE_EVENTS, add);
      else if (Array.isArray(event['choices'])) {
        visit(event, CHAT, '', add);
        addLaterFinishReasons(event, add);
      } else add('frames that are no chunks');
    },
    takeEmbeddings: (body) => visit(body, EMBEDDINGS, '', add),
    takeNative: (body) => visit(body, { content: true }, '', add),
    takeNativeEvent: (name) => add(`event ${name}`),
    takeMcp: (result) => visit(result, MCP, '', add),
    notCovered: () => [...found],
  };
}

function visitEvent(
  event: Members,
  events: Readonly<Record<string, Covered>>,
  add: (name: string) => void,
): void {
  const type = asString(event['type']);
  const covered = Object.hasOwn(events, type) ? events[type] : undefined;
  if (covered === undefined) add(`event ${type}`);
  else visit(event, covered, type, add);
}

/**
 * Reports the finish reasons of all choices but the first as not covered, because a certificate
 * contains only that of the first.
 */
function addLaterFinishReasons(body: Members, add: (name: string) => void): void {
  const choices = (body['choices'] ?? []) as unknown[];
  const isLater = (choice: unknown, position: number): boolean => {
    const members = asMembers(choice);
    return (members?.['index'] ?? position) !== 0 && asString(members?.['finish_reason']) !== '';
  };
  if (choices.some(isLater)) add('choices[].finish_reason after the first choice');
}

function visit(value: unknown, covered: Covered, path: string, add: (name: string) => void): void {
  if (covered === true) return;
  if (Array.isArray(value)) {
    for (const item of value) visit(item, covered, `${path}[]`, add);
    return;
  }
  const members = asMembers(value);
  if (members === undefined) return;
  if (isByType(covered)) {
    const type = asString(members['type']);
    const inner = Object.hasOwn(covered.byType, type) ? covered.byType[type] : undefined;
    if (inner === undefined) add(`${path} of type ${type}`);
    else visit(members, inner, path, add);
    return;
  }
  for (const [name, member] of Object.entries(members)) {
    if (isEmpty(member)) continue;
    const memberPath = path === '' ? name : `${path}.${name}`;
    const inner = Object.hasOwn(covered, name) ? covered[name] : undefined;
    if (inner === undefined) add(memberPath);
    else visit(member, inner, memberPath, add);
  }
}

function isByType(covered: Covered): covered is ByType {
  return covered !== true && 'byType' in covered;
}

/**
 * Returns whether a value is empty. An empty value contains no information, so it need not be
 * reported as not covered.
 */
function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
