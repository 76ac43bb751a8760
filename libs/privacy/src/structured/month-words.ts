import { wordHash } from './word-hash.ts';

const MONTHS = [
  'january jan januar janvier enero gennaio janeiro januari ene gen янв января',
  'february feb februar février fevrier febrero febbraio fevereiro februari fév fev февраля',
  'march mar märz maerz mars marzo março maart maa mrz марта',
  'april apr avril abril aprile avr abr апреля',
  'may mai mayo maggio maio mei maj mag мая',
  'june jun juni juin junio giugno junho giu июня',
  'july jul juli juillet julio luglio julho juil lug июля',
  'august aug août aout agosto augustus ago augusti августа',
  'september sep sept septembre septiembre settembre setembro set сентября',
  'october oct oktober octobre octubre ottobre outubro okt ott out октября',
  'november nov novembre noviembre novembro ноября',
  'december dec dezember décembre diciembre dicembre dezembro dez déc dic декабря',
];

/** The number of a month, 1 to 12, by the hash of its name in Western languages and Russian. */
export const MONTH_OF: ReadonlyMap<number, number> = new Map(
  MONTHS.flatMap((names, index) => names.split(' ').map((name) => [wordHash(name), index + 1])),
);
