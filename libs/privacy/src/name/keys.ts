import { charTest } from '../structured/char-class.ts';
import { KIND_MASK, UPPER, type CharTable } from './char-table.ts';
import { EDGE_TOKENS, FORM, GAP, hashWord, type Tokens } from './tokenize.ts';

const MAX_COLUMNS = 64;
const QUOTE = 34;
const endsKey = charTest(':=');
const endsValue = charTest(',;|{}<>');
const endsHeader = charTest(',;|');
/** Tests for marks that a CSV header may contain besides commas and semicolons. */
const isHeaderMark = charTest('_"-|');

/**
 * Writes the hash of the key of every token that is a value: of the last word before `:`, `=` or
 * `=>` on its line, otherwise of its column's header if the first line looks like a CSV header.
 */
export const markKeys = (text: string, tokens: Tokens, table: CharTable): void =>
  openKeyMarker(text, tokens, table)(tokens.count);

/** Returns a function that does a part of `markKeys`: the tokens up to an ascending `end`. */
export const openKeyMarker = (
  text: string,
  tokens: Tokens,
  table: CharTable,
): ((end: number) => void) => {
  const headers = readHeaders(text, tokens, table);
  const line: Line = { index: EDGE_TOKENS, key: 0, column: 0, isQuoted: false, wordIndex: -1 };
  return (end) => markKeysTo(text, tokens, { table, headers, line }, end);
};

/** The key, column and last word of the line at the token `index`. */
type Line = { index: number; key: number; column: number; isQuoted: boolean; wordIndex: number };

const markKeysTo = (
  text: string,
  tokens: Tokens,
  { table, headers, line }: { table: CharTable; headers: readonly number[]; line: Line },
  end: number,
): void => {
  let { index, key, column, isQuoted, wordIndex } = line;
  for (; index < end; index++) {
    if (tokens.gap[index] === GAP.line) {
      key = column = 0;
      isQuoted = false;
      wordIndex = -1;
    }
    tokens.key[index] = key === 0 ? (headers[column] ?? 0) : key;
    if (tokens.form[index] !== FORM.punctuation) {
      if (tokens.form[index] !== FORM.taken && tokens.form[index] !== FORM.digits)
        wordIndex = index;
      continue;
    }
    const mark = text.charCodeAt(tokens.start[index] as number);
    if (mark === QUOTE) isQuoted = !isQuoted;
    else if (endsKey(mark) && wordIndex >= 0) key = hashOfLastPart(text, tokens, wordIndex, table);
    else if (endsValue(mark) && !isQuoted) {
      key = 0;
      if (headers.length > 0) column++;
    }
  }
  Object.assign(line, { index, key, column, isQuoted, wordIndex });
};

const readHeaders = (text: string, tokens: Tokens, table: CharTable): number[] => {
  const headers: number[] = [];
  let wordIndex = -1;
  for (let index = EDGE_TOKENS; index < tokens.count && headers.length < MAX_COLUMNS; index++) {
    if (index > EDGE_TOKENS && tokens.gap[index] === GAP.line) {
      if (wordIndex >= 0) headers.push(hashOfLastPart(text, tokens, wordIndex, table));
      return headers.length > 2 ? headers : [];
    }
    const form = tokens.form[index] as number;
    const mark = text.charCodeAt(tokens.start[index] as number);
    if (form === FORM.taken || form === FORM.digits) return [];
    if (form !== FORM.punctuation) wordIndex = index;
    else if (endsHeader(mark) && wordIndex >= 0) {
      headers.push(hashOfLastPart(text, tokens, wordIndex, table));
      wordIndex = -1;
    } else if (!isHeaderMark(mark)) return [];
  }
  return [];
};

const hashOfLastPart = (text: string, tokens: Tokens, index: number, table: CharTable): number => {
  const start = tokens.start[index] as number;
  const end = tokens.end[index] as number;
  if (tokens.form[index] !== FORM.mixed || end - start > 64) return tokens.word[index] as number;
  let from = end - 1;
  while (from > start && (table[text.charCodeAt(from)]! & KIND_MASK) !== UPPER) from--;
  return hashWord(text.slice(from, end), table);
};

const PERSON = `assignee attendee attorney author authors beneficiary billto borrower boss
  candidate caregiver cardholder chef child client colleague consultant contact
  contacts contractor counsel creator customer customers daughter deceased
  defendant delegate dentist doctor donor driver editor employee employees
  examiner father firstname forename founder friend fullname givenname guardian
  guest guests guide holder husband instructor interviewer investigator judge
  landlord lastname lawyer lead maintainer manager member members mentor mother
  neighbor neighbour notary nurse occupant officer operator owner owners parent
  participant passenger patient patients payee payer people person persons
  physician plaintiff player politician presenter professor purchaser recipient
  recruiter referrer reporter representative requester resident reviewer
  roommate salesperson seller sender shipto signatory sibling signed sister son
  speaker spouse student students subject subscriber supervisor surname surgeon
  survivor teacher tenant therapist traveler traveller trainer trustee tutor
  username victim visitor volunteer wife winner witness worker vorname nachname
  kunde kundin patientin absender empfänger ansprechpartner inhaber mitarbeiter
  nom prénom prenom auteur nombre apellido apellidos cliente autor titular
  paciente cognome paziente sobrenome naam voornaam achternaam klant förnamn
  efternamn fornavn etternavn efternavn imię nazwisko jméno příjmení meno
  priezvisko nev név etunimi sukunimi`;

/** Last words of keys whose values may be people or organisations. */
const NAMED = `name names nome navn namn nimi to from cc bcc user users by contact attn
  attention for hi hello dear alias nickname nick agent host who with regards
  sincerely thanks best cheers`;

const ORG = `bank branch business clinic club company companies corporation customer client
  employer department firm foundation hospital institution insurer issuer
  landlord manufacturer merchant org organisation organization organizations
  payee payer partner provider publisher retailer school seller shipper sponsor
  supplier team university vendor firma unternehmen arbeitgeber entreprise
  société empresa azienda`;

const PLACE = `address addresses area birthplace borough capital city cities country
  countries county delivery destination district from to home hometown location
  locality municipality nationality origin place places province residence
  region state states street suburb town territory venue village zip adresse
  anschrift stadt ort land wohnort straße strasse ville pays adresse rue
  dirección direccion ciudad país pais calle indirizzo città citta via endereço
  cidade`;

export type NameKeys = Record<'person' | 'named' | 'org' | 'place', ReadonlySet<number>>;

export const createNameKeys = (table: CharTable): NameKeys => {
  const hashes = (words: string): ReadonlySet<number> =>
    new Set(words.split(/\s+/).map((word) => hashWord(word, table)));
  return { person: hashes(PERSON), named: hashes(NAMED), org: hashes(ORG), place: hashes(PLACE) };
};
