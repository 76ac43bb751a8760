import { describe, expect, it } from '@jest/globals';
import { normalizeErrorText } from './normalize.ts';

const normalized = (body: unknown, status = 400): unknown => {
  const text = normalizeErrorText(JSON.stringify(body), status);
  return text === undefined ? undefined : JSON.parse(text);
};

const error = (message: string, more: object = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});

describe("a provider's error", () => {
  it.each<[string, unknown]>([
    ['with all members', error('No.')],
    ['with a message only', { error: { message: 'No.' } }],
    ['with further members', { error: { message: 'No.', code: 'x', innererror: { a: 1 } } }],
  ])('in the form of OpenAI is left as it is: %s', (_name, body) => {
    expect(normalized(body)).toBeUndefined();
  });

  it.each<[string, unknown, unknown]>([
    [
      'a list, as of Gemini',
      [{ error: { code: 400, message: 'Unknown name "x".', status: 'INVALID_ARGUMENT' } }],
      error('Unknown name "x".', { code: '400', status: 'INVALID_ARGUMENT' }),
    ],
    [
      'a numeric code, as of OpenRouter',
      { error: { code: 402, message: 'No credits.', metadata: { a: 1 } }, user_id: 'u' },
      { ...error('No credits.', { code: '402', metadata: { a: 1 } }), user_id: 'u' },
    ],
    [
      'no member error, as of vLLM',
      { object: 'error', message: 'Too long.', type: 'BadRequestError', param: null, code: 400 },
      error('Too long.', { code: '400' }),
    ],
    [
      'invalid fields in the message, as of Mistral',
      {
        object: 'error',
        message: { detail: [{ type: 'extra_forbidden', loc: ['body', 'store'], msg: 'Extra.' }] },
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
      error('body.store: Extra.'),
    ],
    [
      'only invalid fields',
      {
        detail: [
          { loc: ['body', 'a'], msg: 'One.' },
          { loc: ['body', 'b'], msg: 'Two.' },
        ],
      },
      error('body.a: One.; body.b: Two.'),
    ],
    ['a text', { error: 'model not found' }, error('model not found')],
    ['nothing', {}, error('The model provider answered with status 400.')],
  ])('of another form is given it: %s', (_name, body, expected) => {
    expect(normalized(body)).toEqual(expected);
  });

  it('of a server that failed has that type', () => {
    expect(normalized({ error: 'no' }, 503)).toMatchObject({ error: { type: 'server_error' } });
  });

  it.each(['<html></html>', '"text"', '[]', ''])('that is none stays: %s', (text) => {
    expect(normalizeErrorText(text, 500)).toBeUndefined();
  });
});
