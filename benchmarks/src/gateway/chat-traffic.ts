/** What is sent through every system: the sizes of `design/gateway.md`'s measurements. */
export type ChatMode = 'plain' | 'streamed';

/** Bytes of the request's body. */
export const REQUEST_BYTES = 1024;
/** Bytes of the plain answer's body. */
export const ANSWER_BYTES = 614;
/** Frames of a streamed answer, each written on its own: text, finish, usage, `[DONE]`. */
export const STREAM_CHUNKS = 40;

/** How every answer of a mode must end; anything else fails the run. */
export const ANSWER_TAIL: Readonly<Record<ChatMode, string>> = {
  plain: '"}',
  streamed: 'data: [DONE]\n\n',
};

const MODEL = 'gpt-bench';
const ID = 'chatcmpl-0123456789abcdefghijklmn';
const CREATED = 1_767_225_600;
const USAGE = { prompt_tokens: 230, completion_tokens: 90, total_tokens: 320 };
/** Frames that are not text: finish, usage, `[DONE]`. */
const CLOSING_FRAMES = 3;

/** The body of a request, exactly {@link REQUEST_BYTES} long. */
export const makeRequest = (mode: ChatMode): string => {
  const make = (text: string): string =>
    JSON.stringify({
      model: MODEL,
      temperature: 0.7,
      ...(mode === 'streamed' ? { stream: true } : {}),
      messages: [
        { role: 'system', content: 'You are a careful adviser to a small company.' },
        { role: 'user', content: text },
      ],
    });
  return make(fill(REQUEST_BYTES - make('').length));
};

/** A provider's plain answer, exactly {@link ANSWER_BYTES} long. */
export const makeAnswer = (): string => {
  const make = (content: string): string =>
    JSON.stringify({
      id: ID,
      object: 'chat.completion',
      created: CREATED,
      model: MODEL,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: USAGE,
      system_fingerprint: 'fp_0123456789',
    });
  return make(fill(ANSWER_BYTES - make('').length));
};

/** A provider's streamed answer with its usage frame, {@link STREAM_CHUNKS} frames. */
export const makeFrames = (): string[] => {
  const frame = (rest: object): string =>
    `data: ${JSON.stringify({
      id: ID,
      object: 'chat.completion.chunk',
      created: CREATED,
      model: MODEL,
      system_fingerprint: 'fp_0123456789',
      ...rest,
    })}\n\n`;
  const choice = (delta: object, finish: string | null): object => ({
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const texts = Array.from({ length: STREAM_CHUNKS - CLOSING_FRAMES }, (_, place) =>
    frame(choice({ ...(place === 0 ? { role: 'assistant' } : {}), content: ' advice' }, null)),
  );
  return [
    ...texts,
    frame(choice({}, 'stop')),
    frame({ choices: [], usage: USAGE }),
    'data: [DONE]\n\n',
  ];
};

const fill = (length: number): string =>
  'What should the company do next quarter? '.repeat(length).slice(0, length);
