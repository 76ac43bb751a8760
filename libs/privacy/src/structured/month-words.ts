import { wordHash } from './word-hash.ts';

const MONTHS = [
  `
    january jan januar janvier enero gennaio janeiro januari ene gen янв января stycznia styczeń
    tammikuuta ocak ledna jänner`,
  `
    february feb februar février fevrier febrero febbraio fevereiro februari fév fev февраля
    lutego luty helmikuuta şubat Şubat února`,
  `
    march mar märz maerz mars marzo março maart maa mrz марта marca marzec maaliskuuta mart marts
    března mrt`,
  'april apr avril abril aprile avr abr апреля kwietnia kwiecień huhtikuuta nisan dubna',
  'may mai mayo maggio maio mei maj mag мая maja toukokuuta mayıs května mayis maí',
  'june jun juni juin junio giugno junho giu июня czerwca czerwiec kesäkuuta haziran června',
  'july jul juli juillet julio luglio julho juil lug июля lipca lipiec heinäkuuta temmuz července',
  `
    august aug août aout agosto augustus ago augusti августа sierpnia sierpień elokuuta ağustos
    agustos srpna`,
  `
    september sep sept septembre septiembre settembre setembro set сентября września wrzesień
    syyskuuta eylül eylul září`,
  `
    october oct oktober octobre octubre ottobre outubro okt ott out октября października
    październik lokakuuta ekim října`,
  'november nov novembre noviembre novembro ноября listopada listopad marraskuuta kasım kasim',
  `
    december dec dezember décembre diciembre dicembre dezembro dez déc dic декабря grudnia
    grudzień joulukuuta aralık aralik prosince des desember`,
];

export const MONTH_BY_HASH: ReadonlyMap<number, number> = new Map(
  MONTHS.flatMap((names, index) =>
    names
      .split(/\s+/)
      .filter(Boolean)
      .map((name) => [wordHash(name), index + 1]),
  ),
);
