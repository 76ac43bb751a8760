import { parseTranscript } from './parse-transcript.ts';
import type { TranscriptFrame } from './parse-transcript.ts';
import { toViolations } from './to-violations.ts';
import type { Claim } from './to-violations.ts';
import { isJsonObject, parseJson, toJsonObject } from './json-object.ts';
import type { JsonObject } from './json-object.ts';

/**
 * Checks form and order of the events of a message stream. Returns one message per violation, with
 * the number of the event if a single event causes it.
 */
export const checkMessageStream = (transcript: string): string[] => {
  const { frames, violations: parseViolations } = parseTranscript(transcript);
  const progress: Progress = { phase: 'unstarted', blocks: 0 };
  const violations = frames.flatMap((frame, index) =>
    checkFrame(progress, frame).map(
      (violation) => `event ${index + 1} (${nameOf(frame)}): ${violation}`,
    ),
  );
  const isComplete = progress.phase === 'stopped' || progress.phase === 'failed';
  const endViolations = isComplete
    ? []
    : ['the stream ends without message_stop or an error event'];
  return [...parseViolations, ...violations, ...endViolations];
};

type Block = { index: unknown; type: string; json: string };

type Progress = {
  phase: 'unstarted' | 'started' | 'closing' | 'stopped' | 'failed';
  /** Number of content blocks started so far, which is the index of the next block. */
  blocks: number;
  open?: Block | undefined;
};

type EventCheck = (progress: Progress, event: JsonObject) => string[];

const checkFrame = (progress: Progress, frame: TranscriptFrame): string[] => {
  const { event: name, value } = frame;
  if (value === undefined) return ['its data is no JSON object'];
  const type = nameOf(frame);
  const nameViolations = name === type ? [] : [`is sent under the name ${JSON.stringify(name)}`];
  if (progress.phase === 'stopped') return [...nameViolations, 'comes after message_stop'];
  if (progress.phase === 'failed') return [...nameViolations, 'comes after an error event'];
  const check = EVENT_CHECKS.get(type);
  if (check === undefined) return [...nameViolations, 'is no event of the dialect'];
  return [...nameViolations, ...check(progress, value)];
};

const nameOf = ({ value }: TranscriptFrame): string => String(value?.['type']);

const onMessageStart: EventCheck = (progress, event) => {
  const isFirst = progress.phase === 'unstarted';
  if (isFirst) progress.phase = 'started';
  const message = toJsonObject(event['message']);
  const usage = toJsonObject(message['usage']);
  const { content, stop_reason } = message;
  return toViolations(
    [isFirst, 'is in the middle of a message'],
    [Array.isArray(content) && content.length === 0, 'its content is not []'],
    [stop_reason === null, 'its stop_reason is not null'],
    [typeof usage['input_tokens'] === 'number', 'its usage.input_tokens is no number'],
    [
      usage['output_tokens'] === 0 || usage['output_tokens'] === 1,
      'its usage.output_tokens is neither 0 nor 1: some clients add it to the final count',
    ],
  );
};

const onBlockStart: EventCheck = (progress, event) => {
  const { phase, open, blocks } = progress;
  const block = toJsonObject(event['content_block']);
  const type = String(block['type']);
  progress.open = { index: event['index'], type, json: '' };
  progress.blocks = blocks + 1;
  return toViolations(
    [phase === 'started', OUTSIDE_MESSAGE],
    [open === undefined, `block ${String(open?.index)} is still open`],
    [event['index'] === blocks, `its index is ${String(event['index'])} instead of ${blocks}`],
    [typeof block['type'] === 'string', 'its block has no type'],
    ...(type === 'tool_use' ? checkCall(block) : []),
  );
};

const checkCall = ({ id, name, input }: JsonObject): Claim[] => [
  [typeof id === 'string' && id !== '', 'its tool_use has no id'],
  [typeof name === 'string' && name !== '', 'its tool_use has no name'],
  [
    isJsonObject(input) && Object.keys(input).length === 0,
    'its tool_use does not start with input {}',
  ],
];

/** The delta types that each type of content block accepts; other block types are not checked. */
const DELTA_TYPES = new Map<string, readonly string[]>([
  ['text', ['text_delta', 'citations_delta']],
  ['thinking', ['thinking_delta', 'signature_delta']],
  ['redacted_thinking', []],
  ['tool_use', ['input_json_delta']],
  ['server_tool_use', ['input_json_delta']],
]);

/** For the delta types that consist of text, the field that must contain it. */
const TEXT_FIELDS = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
  ['input_json_delta', 'partial_json'],
]);

const onBlockDelta: EventCheck = (progress, event) => {
  const { open } = progress;
  const delta = toJsonObject(event['delta']);
  const type = String(delta['type']);
  if (open === undefined) return [`no block is open for its ${type}`];
  const field = TEXT_FIELDS.get(type);
  const text = field === undefined ? '' : delta[field];
  open.json += type === 'input_json_delta' ? String(text) : '';
  return toViolations(
    [event['index'] === open.index, toIndexViolation(event, open)],
    [
      DELTA_TYPES.get(open.type)?.includes(type) ?? true,
      `a ${open.type} block does not grow by ${type}`,
    ],
    [typeof text === 'string', `its ${type} has no text`],
  );
};

const onBlockStop: EventCheck = (progress, event) => {
  const { open } = progress;
  if (open === undefined) return ['no block is open'];
  progress.open = undefined;
  return toViolations(
    [event['index'] === open.index, toIndexViolation(event, open)],
    [
      // For a call without arguments, providers may stream an empty string instead of `{}`.
      open.type !== 'tool_use' || open.json === '' || isJsonObject(parseJson(open.json)),
      `the input of its tool_use is no JSON object: ${open.json}`,
    ],
  );
};

const onMessageDelta: EventCheck = (progress, event) => {
  const { phase, open } = progress;
  if (phase === 'started') progress.phase = 'closing';
  return toViolations(
    [phase !== 'closing', 'is the second message_delta'],
    [phase !== 'unstarted', OUTSIDE_MESSAGE],
    [open === undefined, `block ${String(open?.index)} is still open`],
    [
      typeof toJsonObject(event['delta'])['stop_reason'] === 'string',
      'its delta has no stop_reason',
    ],
    [
      typeof toJsonObject(event['usage'])['output_tokens'] === 'number',
      'its usage.output_tokens is no number',
    ],
  );
};

const onMessageStop: EventCheck = (progress) => {
  const { phase } = progress;
  progress.phase = 'stopped';
  return toViolations([phase === 'closing', 'no message_delta precedes it']);
};

const onError: EventCheck = (progress, event) => {
  progress.phase = 'failed';
  const { type, message } = toJsonObject(event['error']);
  return toViolations(
    [typeof type === 'string', 'its error has no type'],
    [typeof message === 'string', 'its error has no message'],
  );
};

const EVENT_CHECKS = new Map<string, EventCheck>([
  ['message_start', onMessageStart],
  ['ping', () => []],
  ['content_block_start', onBlockStart],
  ['content_block_delta', onBlockDelta],
  ['content_block_stop', onBlockStop],
  ['message_delta', onMessageDelta],
  ['message_stop', onMessageStop],
  ['error', onError],
]);

const OUTSIDE_MESSAGE = 'is outside of the message';

const toIndexViolation = (event: JsonObject, open: Block): string =>
  `its index is ${String(event['index'])}, but block ${String(open.index)} is open`;
