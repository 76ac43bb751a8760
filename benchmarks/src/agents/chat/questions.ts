import { TRAFFIC } from '../../gateway/traffic/traffic.ts';
import { SERIAL_PLACEHOLDER, SESSION_PLACEHOLDER } from '../../gateway/traffic/history.ts';

/** Text that precedes the serial number in every question. */
const SERIAL_PREFIX = 'Step ';
/** Text in a question that the fake provider answers with a memory tag. */
export const REMEMBER_MARK = 'Please remember it.';
/**
 * Text in a question that the fake provider answers with a tool call and, given the tool's result,
 * with text.
 */
export const TOOL_MARK = 'Please look it up.';
export const TOOL_NAME = 'look_up';
export const TOOL_PATH = '/tool';

const SENTENCE = 'What should the company do next quarter, and what should it leave alone? ';
const QUESTION = SENTENCE.repeat(4);

export const makeTurnBody = (mark: '' | typeof REMEMBER_MARK | typeof TOOL_MARK = ''): string =>
  JSON.stringify({
    message: `${SERIAL_PREFIX}${SERIAL_PLACEHOLDER} of the plan. ${mark} ${QUESTION}`,
    sessionId: SESSION_PLACEHOLDER,
    ...(mark === TOOL_MARK ? { tools: { enabled: true } } : {}),
  });

/** Returns the body of the same turn as a call of the tool `ask_agent` over MCP. */
export const makeMcpBody = (agentId: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MCP_HEADERS['mcp-protocol-version'],
        'io.modelcontextprotocol/clientCapabilities': {},
      },
      name: MCP_HEADERS['mcp-name'],
      arguments: { agentId, ...(JSON.parse(makeTurnBody()) as object) },
    },
  });

export const MCP_HEADERS = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'ask_agent',
} as const;

export const findSerial = (body: Buffer): number =>
  body.lastIndexOf(SERIAL_PREFIX) + SERIAL_PREFIX.length;

export const readSerial = (body: Buffer): string => {
  const start = findSerial(body);
  return body.toString('latin1', start, start + SERIAL_PLACEHOLDER.length);
};

/** Number of frames with content: of 40 frames, the last three are finish, usage and `[DONE]`. */
const TEXT_FRAMES = 37;
const MEMORY_KEY = 'plan_step';
const TAG_PIECES = 5;

/**
 * Returns the frames of a streamed answer. If `remembered` is set, the answer ends with a memory
 * tag that contains this text.
 */
export const makeAnswerFrames = (remembered?: string): Buffer[] => {
  const { opening, texts, closing } = TRAFFIC.chat.makeFrames(TEXT_FRAMES);
  const tagPieces = remembered === undefined ? [] : splitTag(remembered);
  const textFrames = texts.map((frame, position) => {
    const piece = tagPieces[position - (texts.length - tagPieces.length)];
    return piece === undefined ? frame : frame.replace('" advice"', JSON.stringify(piece));
  });
  return [...opening, ...textFrames, ...closing].map((frame) => Buffer.from(frame));
};

export const makeToolFrames = (serial: string): Buffer[] => {
  const calledFunction = { name: TOOL_NAME, arguments: JSON.stringify({ step: serial }) };
  const { texts, closing } = TRAFFIC.chat.makeFrames(1);
  const call = { index: 0, id: `call_${serial}`, type: 'function', function: calledFunction };
  const opening = texts[0]!.replace(
    '"content":" advice"',
    `"tool_calls":[${JSON.stringify(call)}]`,
  );
  const [finish = '', ...rest] = closing;
  const frames = [opening, finish.replace('"stop"', '"tool_calls"'), ...rest];
  return frames.map((frame) => Buffer.from(frame));
};

/** Splits a memory tag into pieces, because a model streams a tag in several tokens. */
const splitTag = (serial: string): string[] => {
  const tag = `<MEMORY key="${MEMORY_KEY}" type="fact">The plan is at ${serial}.</MEMORY>`;
  const size = Math.ceil(tag.length / TAG_PIECES);
  return Array.from({ length: TAG_PIECES }, (_, position) =>
    tag.slice(position * size, (position + 1) * size),
  );
};
