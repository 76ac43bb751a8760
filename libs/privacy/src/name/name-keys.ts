import { hashWord } from './tokenize.ts';
import type { CharTable } from './char-table.ts';

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
