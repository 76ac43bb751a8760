import { parseTranscript } from './parse-transcript.ts';
import type { TranscriptFrame } from './parse-transcript.ts';
import { report } from './report.ts';
import type { Claim } from './report.ts';
import { isFields, parseJson, toFields } from './to-fields.ts';
import type { Fields } from './to-fields.ts';

/**
 * Checks a message stream against the order of events in docs/spec.md#4.6 ("Clients in the wild").
 * Returns one message per violation, with the number of the event.
 */
export const checkMessageStream = (transcript: string): string[] => {
  const { frames, violations: parseViolations } = parseTranscript(transcript);
  const progress: Progress = { phase: 'unstarted', blocks: 0 };
  const violations = frames.flatMap((frame, at) =>
    checkFrame(progress, frame).map(
      (violation) => `event ${at + 1} (${nameOf(frame)}): ${violation}`,
    ),
  );
  const isWhole = progress.phase === 'stopped' || progress.phase === 'failed';
  const missing = isWhole ? [] : ['the stream ends without message_stop or an error event'];
  return [...parseViolations, ...violations, ...missing];
};

type Block = { index: unknown; type: string; json: string };

type Progress = {
  phase: 'unstarted' | 'started' | 'closing' | 'stopped' | 'failed';
  /** Number of content blocks started so far, which is the index of the next block. */
  blocks: number;
  open?: Block | undefined;
};

type Step = (progress: Progress, event: Fields) => string[];

const checkFrame = (progress: Progress, frame: TranscriptFrame): string[] => {
  const { event: name, value } = frame;
  if (value === undefined) return ['its data is no JSON object'];
  const type = nameOf(frame);
  const named = name === type ? [] : [`is sent under the name ${JSON.stringify(name)}`];
  if (progress.phase === 'stopped') return [...named, 'stands behind message_stop'];
  if (progress.phase === 'failed') return [...named, 'stands behind an error event'];
  const step = STEPS.get(type);
  if (step === undefined) return [...named, 'is no event of the dialect'];
  return [...named, ...step(progress, value)];
};

const nameOf = ({ value }: TranscriptFrame): string => String(value?.['type']);

const onMessageStart: Step = (progress, event) => {
  const isFirst = progress.phase === 'unstarted';
  if (isFirst) progress.phase = 'started';
  const message = toFields(event['message']);
  const usage = toFields(message['usage']);
  const { content, stop_reason } = message;
  return report(
    [isFirst, 'stands in the middle of a message'],
    [Array.isArray(content) && content.length === 0, 'its content is not []'],
    [stop_reason === null, 'its stop_reason is not null'],
    [typeof usage['input_tokens'] === 'number', 'its usage.input_tokens is no number'],
    [
      usage['output_tokens'] === 0 || usage['output_tokens'] === 1,
      'its usage.output_tokens is neither 0 nor 1: some clients add it to the final count',
    ],
  );
};

const onBlockStart: Step = (progress, event) => {
  const { phase, open, blocks } = progress;
  const block = toFields(event['content_block']);
  const type = String(block['type']);
  progress.open = { index: event['index'], type, json: '' };
  progress.blocks = blocks + 1;
  return report(
    [phase === 'started', OUTSIDE],
    [open === undefined, `block ${String(open?.index)} is still open`],
    [event['index'] === blocks, `its index is ${String(event['index'])} instead of ${blocks}`],
    [typeof block['type'] === 'string', 'its block has no type'],
    ...(type === 'tool_use' ? checkCall(block) : []),
  );
};

const checkCall = ({ id, name, input }: Fields): Claim[] => [
  [typeof id === 'string' && id !== '', 'its tool_use has no id'],
  [typeof name === 'string' && name !== '', 'its tool_use has no name'],
  [isFields(input) && Object.keys(input).length === 0, 'its tool_use does not start with input {}'],
];

/** The delta types that each type of content block accepts; other block types are not checked. */
const DELTAS = new Map<string, readonly string[]>([
  ['text', ['text_delta', 'citations_delta']],
  ['thinking', ['thinking_delta', 'signature_delta']],
  ['redacted_thinking', []],
  ['tool_use', ['input_json_delta']],
  ['server_tool_use', ['input_json_delta']],
]);

/** For each delta type, the field that must contain its text. */
const TEXTS = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
  ['input_json_delta', 'partial_json'],
]);

const onBlockDelta: Step = (progress, event) => {
  const { open } = progress;
  const delta = toFields(event['delta']);
  const type = String(delta['type']);
  if (open === undefined) return [`no block is open for its ${type}`];
  const field = TEXTS.get(type);
  const text = field === undefined ? '' : delta[field];
  open.json += type === 'input_json_delta' ? String(text) : '';
  return report(
    [event['index'] === open.index, toIndexViolation(event, open)],
    [
      DELTAS.get(open.type)?.includes(type) ?? true,
      `a ${open.type} block does not grow by ${type}`,
    ],
    [typeof text === 'string', `its ${type} has no text`],
  );
};

const onBlockStop: Step = (progress, event) => {
  const { open } = progress;
  if (open === undefined) return ['no block is open'];
  progress.open = undefined;
  return report(
    [event['index'] === open.index, toIndexViolation(event, open)],
    [
      // For a call without arguments, providers stream an empty string instead of `{}`.
      open.type !== 'tool_use' || open.json === '' || isFields(parseJson(open.json)),
      `the input of its tool_use is no JSON object: ${open.json}`,
    ],
  );
};

const onMessageDelta: Step = (progress, event) => {
  const { phase, open } = progress;
  if (phase === 'started') progress.phase = 'closing';
  return report(
    [phase !== 'closing', 'is the second message_delta'],
    [phase !== 'unstarted', OUTSIDE],
    [open === undefined, `block ${String(open?.index)} is still open`],
    [typeof toFields(event['delta'])['stop_reason'] === 'string', 'its delta has no stop_reason'],
    [
      typeof toFields(event['usage'])['output_tokens'] === 'number',
      'its usage.output_tokens is no number',
    ],
  );
};

const onMessageStop: Step = (progress) => {
  const { phase } = progress;
  progress.phase = 'stopped';
  return report([phase === 'closing', 'no message_delta stands before it']);
};

const onError: Step = (progress, event) => {
  progress.phase = 'failed';
  const { type, message } = toFields(event['error']);
  return report(
    [typeof type === 'string', 'its error has no type'],
    [typeof message === 'string', 'its error has no message'],
  );
};

const STEPS = new Map<string, Step>([
  ['message_start', onMessageStart],
  ['ping', () => []],
  ['content_block_start', onBlockStart],
  ['content_block_delta', onBlockDelta],
  ['content_block_stop', onBlockStop],
  ['message_delta', onMessageDelta],
  ['message_stop', onMessageStop],
  ['error', onError],
]);

const OUTSIDE = 'stands outside of the message';

const toIndexViolation = (event: Fields, open: Block): string =>
  `its index is ${String(event['index'])}, but block ${String(open.index)} is open`;
