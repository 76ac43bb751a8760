import { describe, expect, it } from '@jest/globals';
import { SERIAL_PLACEHOLDER, SESSION_PLACEHOLDER } from '../../gateway/traffic/history.ts';
import {
  findSerial,
  makeAnswerFrames,
  makeToolFrames,
  makeTurnBody,
  readSerial,
} from './questions.ts';

const contentOf = (frames: readonly Buffer[]): string =>
  frames
    .flatMap((frame) => /^data: (\{.*\})\n\n$/.exec(frame.toString())?.[1] ?? [])
    .map((json) => JSON.parse(json) as { choices: { delta?: { content?: string } }[] })
    .map(({ choices }) => choices[0]?.delta?.content ?? '')
    .join('');

describe('makeTurnBody', () => {
  it('replaces the placeholder by the id of the session', () => {
    const body = Buffer.from(makeTurnBody());

    expect(JSON.parse(body.toString())).toMatchObject({ sessionId: SESSION_PLACEHOLDER });
    expect(readSerial(body)).toBe(SERIAL_PLACEHOLDER);
  });

  it('has a serial number that is found after a history with other numbers', () => {
    const body = Buffer.from(`Step 0000007 of the plan. Step 0000008 of the plan.`);

    expect(readSerial(body)).toBe('0000008');
    body.write('0000009', findSerial(body));
    expect(body.toString()).toContain('Step 0000007 of the plan. Step 0000009');
  });
});

describe('makeToolFrames', () => {
  it('requests the tool with the serial number', () => {
    const frames = makeToolFrames('0000042').map(String);

    expect(frames[0]).toContain(JSON.stringify(JSON.stringify({ step: '0000042' })));
    expect(frames[1]).toContain('"finish_reason":"tool_calls"');
    expect(frames.at(-1)).toBe('data: [DONE]\n\n');
  });
});

describe('makeAnswerFrames', () => {
  it('has no tag unless a memory is requested', () => {
    expect(contentOf(makeAnswerFrames())).not.toContain('<');
  });

  it('has a whole tag split over several frames', () => {
    const frames = makeAnswerFrames('0000042');

    expect(frames).toHaveLength(makeAnswerFrames().length);
    expect(contentOf(frames)).toMatch(
      /advice<MEMORY key="plan_step" type="fact">The plan is at 0000042\.<\/MEMORY>$/,
    );
    for (const frame of frames) expect(frame.toString()).not.toMatch(/<MEMORY.*<.MEMORY/);
  });
});
