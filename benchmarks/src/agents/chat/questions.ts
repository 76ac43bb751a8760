import { TRAFFIC } from '../../gateway/traffic/traffic.ts';
import { SERIAL } from '../../gateway/traffic/history.ts';

/** What every question begins with; the serial number is another one in every call. */
const BEFORE_SERIAL = 'Step ';
/** A question that holds this is answered with a memory. */
export const REMEMBER_MARK = 'Please remember it.';
/** A question that holds this is answered with a call of the tool, and then with an answer. */
export const TOOL_MARK = 'Please look it up.';
export const TOOL_NAME = 'look_up';
export const TOOL_PATH = '/tool';
/** Stands for the session of a call. As long as a session's id. */
export const SESSION = 'ses_0000000000000000000000';

const QUESTION = 'What should the company do next quarter, and what should it leave alone? ';
const QUESTION_TIMES = 4;

/** The body of a chat with an agent; `mark` says what else it shall do. */
export const makeTurnBody = (mark: '' | typeof REMEMBER_MARK | typeof TOOL_MARK = ''): string =>
  JSON.stringify({
    message: `${BEFORE_SERIAL}${SERIAL} of the plan. ${mark} ${QUESTION.repeat(QUESTION_TIMES)}`,
    sessionId: SESSION,
    ...(mark === TOOL_MARK ? { tools: { enabled: true } } : {}),
  });

/** Where the last serial number of a text stands: that of its question. */
export const findSerial = (body: Buffer): number =>
  body.lastIndexOf(BEFORE_SERIAL) + BEFORE_SERIAL.length;

/** The serial number that stands there. */
export const readSerial = (body: Buffer): string => {
  const at = findSerial(body);
  return body.toString('latin1', at, at + SERIAL.length);
};

/** Frames that are content: of 40 the last three are the finish, the usage and `[DONE]`. */
const TEXT_FRAMES = 37;
const MEMORY_KEY = 'plan_step';
const TAG_PIECES = 5;

/** The frames of an answer; with a memory its last words are a tag, whose value is the serial. */
export const makeAnswerFrames = (remembered?: string): Buffer[] => {
  const { opening, texts, closing } = TRAFFIC.chat.makeFrames(TEXT_FRAMES);
  const words = remembered === undefined ? [] : cutTag(remembered);
  const shown = texts.map((frame, place) => {
    const piece = words[place - (texts.length - words.length)];
    return piece === undefined ? frame : frame.replace('" advice"', JSON.stringify(piece));
  });
  return [...opening, ...shown, ...closing].map((frame) => Buffer.from(frame));
};

/** The frames of an answer that asks for the tool; its arguments hold the serial. */
export const makeToolFrames = (serial: string): Buffer[] => {
  const asked = { name: TOOL_NAME, arguments: JSON.stringify({ step: serial }) };
  const { texts, closing } = TRAFFIC.chat.makeFrames(1);
  const call = { index: 0, id: `call_${serial}`, type: 'function', function: asked };
  const opening = texts[0]!.replace(
    '"content":" advice"',
    `"tool_calls":[${JSON.stringify(call)}]`,
  );
  const [finish = '', ...rest] = closing;
  const frames = [opening, finish.replace('"stop"', '"tool_calls"'), ...rest];
  return frames.map((frame) => Buffer.from(frame));
};

/** As a model writes it: in a few tokens, none of which is the whole. */
const cutTag = (serial: string): string[] => {
  const tag = `<MEMORY key="${MEMORY_KEY}" type="fact">The plan is at ${serial}.</MEMORY>`;
  const size = Math.ceil(tag.length / TAG_PIECES);
  return Array.from({ length: TAG_PIECES }, (_, place) =>
    tag.slice(place * size, (place + 1) * size),
  );
};
