import { describe, expect, it } from '@jest/globals';
import { decodeError } from './encode-error.ts';

describe('decodeError', () => {
  it('decodes all members of an OpenAI error', () => {
    const error = { message: 'No.', type: 'invalid_request_error', param: 'stop', code: 'bad' };
    expect(decodeError({ error })).toEqual({ message: 'No.', code: 'bad', param: 'stop' });
  });

  it.each([
    ['nulls', { error: { message: 'No.', param: null, code: null } }],
    ['a numeric code', { error: { message: 'No.', code: 400 } }],
    ['an error that is a string', { error: 'No.' }],
    ['members without an object around them', { object: 'error', message: 'No.', code: 400 }],
    ['a detail', { detail: 'No.' }],
  ])('reads %s', (_name, body) => {
    expect(decodeError(body)).toEqual({ message: 'No.', code: '', param: '' });
  });

  it.each([{}, { error: null }, { error: [] }, { error: { message: {} } }, { detail: [1] }])(
    'returns defaults for %p instead of throwing',
    (body) => {
      expect(decodeError(body)).toEqual({ message: '', code: '', param: '' });
    },
  );
});
