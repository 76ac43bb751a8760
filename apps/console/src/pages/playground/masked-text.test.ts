import { describe, expect, it } from '@jest/globals';
import { readMaskedTexts } from './masked-text.ts';

const EMAIL = { placeholder: 'EMAIL_K7Q2MX', category: 'EMAIL', value: 'ann@example.org' };
const PERSON = { placeholder: 'PERSON_AB2CD3_2', category: 'PERSON', value: 'Ann Lee' };

const read = (body: unknown) =>
  readMaskedTexts({
    egress: {
      provider: 'openai',
      model: 'gpt-test',
      sha256: '',
      pii: { masked: 2, categories: ['EMAIL', 'PERSON'] },
      body: JSON.stringify(body),
    },
    masked: [EMAIL, PERSON],
    routing: { reason: 'passthrough', taskType: 'chat' },
    droppedParams: [],
  });

describe('readMaskedTexts', () => {
  it('splits texts at placeholders, with the values that they stand for', () => {
    const content = 'To [[PERSON_AB2CD3_2]], [[EMAIL_K7Q2MX]].';
    expect(read({ model: 'gpt-test', messages: [{ role: 'user', content }] })).toEqual([
      {
        path: 'messages[0].content',
        stretches: [
          { text: 'To ' },
          { placeholder: '[[PERSON_AB2CD3_2]]', masked: PERSON },
          { text: ', ' },
          { placeholder: '[[EMAIL_K7Q2MX]]', masked: EMAIL },
          { text: '.' },
        ],
      },
    ]);
  });

  it('finds texts at any depth, and bare placeholders in lower case', () => {
    const texts = read({
      system: [{ type: 'text', text: 'Be kind.' }],
      messages: [{ role: 'user', name: 'email_k7q2mx', content: '' }],
    });
    expect(texts).toEqual([
      { path: 'system[0].text', stretches: [{ text: 'Be kind.' }] },
      { path: 'messages[0].name', stretches: [{ placeholder: 'email_k7q2mx', masked: EMAIL }] },
      { path: 'messages[0].content', stretches: [] },
    ]);
  });

  it('marks nothing that only looks like a placeholder', () => {
    expect(read({ input: 'See [[EMAIL_AAAAAA]] and EMAIL_K7.' })[0]!.stretches).toEqual([
      { text: 'See [[EMAIL_AAAAAA]] and EMAIL_K7.' },
    ]);
  });
});
