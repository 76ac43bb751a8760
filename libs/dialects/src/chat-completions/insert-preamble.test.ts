import { describe, expect, it } from '@jest/globals';
import { insertPreamble } from './request.ts';

const SYSTEM = '{"role":"system","content":"P \\"1\\""}';
const USER = '{ "role":"user", "content":"hi \\u00e9 1.0" }';

describe('insertPreamble', () => {
  it.each([
    [
      'before the first user message',
      `{"x":1.0, "messages":[ ${USER}],"y":1e400}`,
      `{"x":1.0, "messages":[${SYSTEM}, ${USER}],"y":1e400}`,
    ],
    [
      'into the last of duplicate lists',
      `{"messages":[],"messages":[${USER}]}`,
      `{"messages":[],"messages":[${SYSTEM},${USER}]}`,
    ],
    ['into an empty list', '{"messages":[ ]}', `{"messages":[${SYSTEM} ]}`],
    [
      "after the client's own instructions",
      `{"messages":[{"role":"system","content":"a"} , ${USER}]}`,
      `{"messages":[{"role":"system","content":"a"},${SYSTEM} , ${USER}]}`,
    ],
    [
      'after leading instructions, with the role of the last one',
      `{"messages":[{"role":"system"},{"role":"developer","content":"b"},${USER}]}`,
      `{"messages":[{"role":"system"},{"role":"developer","content":"b"},${SYSTEM.replace('system', 'developer')},${USER}]}`,
    ],
    [
      'after the leading instructions only, if others follow later',
      `{"messages":[{"role":"system"},${USER},{"role":"system","content":"c"}]}`,
      `{"messages":[{"role":"system"},${SYSTEM},${USER},{"role":"system","content":"c"}]}`,
    ],
  ])('inserts the preamble %s and changes no other character', (_name, source, expected) => {
    expect(insertPreamble(source, 'P "1"')).toBe(expected);
  });

  it.each(['{"model":"m"}', '{"messages":"hi"}', '{"messages":null}'])(
    'leaves %s unchanged for the provider to refuse',
    (source) => {
      expect(insertPreamble(source, 'P')).toBe(source);
    },
  );
});
