import { areConsecutive } from './phrases.ts';

export const joinGerman = (items: readonly string[]): string =>
  items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} und ${items.at(-1)!}`;

export const quoteGerman = (name: string): string => `„${name}“`;

/** Returns "Runde 3", "den Runden 3 und 5" or "den Runden 3 bis 8", for use after "in". */
export const toRounds = (turns: readonly number[]): string =>
  turns.length === 1
    ? `Runde ${turns[0]!}`
    : `den Runden ${
        areConsecutive(turns) ? `${turns[0]!} bis ${turns.at(-1)!}` : joinGerman(turns.map(String))
      }`;

export const toGermanEvent = (code: string, label: string): string => EVENTS[code] ?? `„${label}“`;

const EVENTS: Readonly<Record<string, string>> = {
  recession: 'eine Rezession',
  supply_shock: 'ein Lieferschock',
  price_war: 'ein Preiskampf der Wettbewerber',
  regulation: 'neue Regulierung',
  demand_surge: 'ein Nachfrageschub',
  talent_shortage: 'Fachkräftemangel',
  credit_tightening: 'knapperer Kredit',
  cyber_incident: 'ein Cyberangriff',
  key_customer_loss: 'der Verlust eines Großkunden',
  liquidity: 'ein Engpass der Kasse, für den die Kreditlinie gezogen wurde,',
};
