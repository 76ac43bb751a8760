import {
  BEFORE_VALUE,
  BETWEEN_ATTRIBUTES,
  IN_BARE_VALUE,
  IN_NAME,
  IN_QUOTES,
  nextPhase,
} from './tag-phase.ts';

/** Attributes by lower-case name; the value is `true` for a name without a value. */
export type TagAttributes = ReadonlyMap<string, string | true>;

/**
 * Parses the attributes between a tag's name and its `>`, with any kind of quotes or none, and with
 * spaces around `=`. Of attributes with the same name, the first is returned. Never throws.
 */
export function parseAttributes(text: string): TagAttributes {
  const attributes = new Map<string, string | true>();
  let name: string | undefined;
  let start = 0;
  let phase = BETWEEN_ATTRIBUTES;

  function addValue(value: string | true): void {
    if (name !== undefined && !attributes.has(name)) attributes.set(name, value);
    name = undefined;
  }

  for (let index = 0; index <= text.length; index += 1) {
    const next = index < text.length ? nextPhase(phase, text.charCodeAt(index)) : END;
    if (next === phase) continue;
    if (phase === IN_NAME) name = text.slice(start, index).toLowerCase();
    if (phase >= IN_BARE_VALUE) addValue(text.slice(start, index));
    if (next === IN_NAME || next === END) addValue(phase === BEFORE_VALUE ? '' : true);
    if (next === IN_NAME || next === IN_BARE_VALUE) start = index;
    if (next >= IN_QUOTES) start = index + 1;
    phase = next;
  }
  return attributes;
}

const END = -1;
