import type { Random } from '@witan/testing/create-random';

const below = (random: Random, end: number): number => random.integer(0, end - 1);

export const pick = <T>(random: Random, items: readonly T[]): T =>
  items[below(random, items.length)]!;

/** A frame of a saved stream: its name, and its parsed data or a text that is no JSON. */
export type Frame = { event: string | undefined; data: unknown };

export const parseFrames = (text: string): Frame[] =>
  text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [, event] = /^event: (.*)$/m.exec(frame) ?? [];
      const [, data = ''] = /^data: (.*)$/m.exec(frame) ?? [];
      return { event, data: data === '[DONE]' ? data : (JSON.parse(data) as unknown) };
    });

/** Writes frames, with one of the notations that mean the same. */
export const writeFrames = (frames: readonly Frame[], random: Random): string => {
  const end = pick(random, ['\n', '\n', '\r\n']);
  const space = pick(random, [' ', ' ', '']);
  return frames
    .map(({ event, data }) => {
      const name = event === undefined ? '' : `event:${space}${event}${end}`;
      const json = typeof data === 'string' ? data : JSON.stringify(data);
      return `${name}data:${space}${json}${end}${end}`;
    })
    .join('');
};

type Members = Record<string, unknown>;
type Mutation = (frames: Frame[], other: readonly Frame[], random: Random) => Frame[];

/** Returns every member of the objects and lists in a value, with what holds it. */
const membersIn = (value: unknown): { holder: Members; name: string }[] => {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    { holder: value as Members, name },
    ...membersIn(member),
  ]);
};

const pickMember = (frames: readonly Frame[], random: Random) => {
  const members = membersIn(pick(random, frames).data);
  return members.length === 0 ? undefined : pick(random, members);
};

const VALUES: unknown[] = [
  ...[null, '', 'EVIL', 0, 1, 2, -1, '0', true, [], {}, 'stop', 'refusal', 'thinking', 'user'],
  ...['text', 'text_delta', 'output_text', 'message', 'reasoning', 'function_call', 'ping'],
];
const NAMES = [
  ...['text', 'content', 'refusal', 'output_text', 'message', 'delta', 'index', 'role', 'id'],
  ...['output_index', 'content_index', 'annotations', 'reasoning_content', 'obfuscation', 'x'],
];
const FRAMES: Frame[] = [
  { event: undefined, data: { x: 'EVIL' } },
  { event: 'ping', data: { type: 'ping' } },
  { event: undefined, data: '[DONE]' },
  { event: undefined, data: 'EVIL' },
];

const setValue: Mutation = (frames, _other, random) => {
  const found = pickMember(frames, random);
  if (found) found.holder[found.name] = pick(random, VALUES);
  return frames;
};

/** Gives a member the value of another one, of the same name if there is one. */
const recombine: Mutation = (frames, other, random) => {
  const found = pickMember(frames, random);
  const all = [...frames, ...other].flatMap(({ data }) => membersIn(data));
  const alike = all.filter(({ name }) => name === found?.name);
  const from = pick(random, alike.length > 0 && below(random, 4) > 0 ? alike : all);
  if (found) found.holder[found.name] = structuredClone(from.holder[from.name]);
  return frames;
};

const removeMember: Mutation = (frames, _other, random) => {
  const found = pickMember(frames, random);
  if (found && !Array.isArray(found.holder)) delete found.holder[found.name];
  return frames;
};

const addMember: Mutation = (frames, _other, random) => {
  const found = pickMember(frames, random);
  if (found && !Array.isArray(found.holder)) {
    found.holder[pick(random, NAMES)] = pick(random, VALUES);
  }
  return frames;
};

/** Moves the end of a text to the next text of the same name, which says the same. */
const moveText: Mutation = (frames, _other, random) => {
  const texts = frames
    .flatMap(({ data }) => membersIn(data))
    .filter(({ holder, name }) => typeof holder[name] === 'string');
  const at = below(random, texts.length);
  const from = texts[at]!;
  const to = texts.slice(at + 1).find(({ name }) => name === from.name);
  if (!to) return frames;
  const text = from.holder[from.name] as string;
  const cut = below(random, text.length + 1);
  from.holder[from.name] = text.slice(0, cut);
  to.holder[to.name] = text.slice(cut) + (to.holder[to.name] as string);
  return frames;
};

/** Splits a frame with a delta into two, which say the same. */
const splitFrame: Mutation = (frames, _other, random) => {
  const at = below(random, frames.length);
  const { event, data } = frames[at]!;
  const [first, second] = [structuredClone(data), structuredClone(data)];
  const names = ['content', 'text', 'delta', 'partial_json', 'arguments'];
  const textsOf = (value: unknown) =>
    membersIn(value).filter(
      ({ holder, name }) => names.includes(name) && typeof holder[name] === 'string',
    );
  for (const [i, one] of textsOf(first).entries()) {
    const text = one.holder[one.name] as string;
    const cut = below(random, text.length + 1);
    one.holder[one.name] = text.slice(0, cut);
    const two = textsOf(second)[i]!;
    two.holder[two.name] = text.slice(cut);
  }
  return frames.toSpliced(at, 1, { event, data: first }, { event, data: second });
};

const moveFrame: Mutation = (frames, _other, random) => {
  const [moved] = frames.splice(below(random, frames.length), 1);
  return frames.toSpliced(below(random, frames.length + 1), 0, moved!);
};

const repeatFrame: Mutation = (frames, other, random) => {
  const frame = structuredClone(pick(random, below(random, 3) === 0 ? other : frames));
  return frames.toSpliced(below(random, frames.length + 1), 0, frame);
};

const removeFrame: Mutation = (frames, _other, random) =>
  frames.toSpliced(below(random, frames.length), 1);

const addFrame: Mutation = (frames, _other, random) =>
  frames.toSpliced(below(random, frames.length + 1), 0, structuredClone(pick(random, FRAMES)));

const rename: Mutation = (frames, _other, random) => {
  const frame = pick(random, frames);
  frame.event = pick(random, [
    undefined,
    'ping',
    'error',
    'message',
    ...frames.map((f) => f.event),
  ]);
  return frames;
};

const MUTATIONS: Mutation[] = [
  ...[setValue, setValue, recombine, recombine, recombine, removeMember, addMember],
  ...[moveText, moveText, splitFrame, splitFrame, moveFrame, repeatFrame, removeFrame],
  ...[addFrame, rename],
];

/** Returns a copy of a transcript after one to four random changes. */
export const mutate = (
  frames: readonly Frame[],
  other: readonly Frame[],
  random: Random,
): Frame[] => {
  let mutated = structuredClone(frames) as Frame[];
  for (let left = 1 + below(random, 4); left > 0 && mutated.length > 0; left -= 1) {
    mutated = pick(random, MUTATIONS)(mutated, other, random);
  }
  return mutated;
};
