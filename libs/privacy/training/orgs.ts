import type { Lists } from './lists.ts';
import type { Names } from './names.ts';
import type { Random } from './random.ts';

const SUFFIXES = (
  'Inc|Inc.|LLC|Ltd|Ltd.|Limited|PLC|plc|Corp|Corp.|Corporation|Group|& Co|& Sons|and ' +
  'Sons|GmbH|AG|GmbH & Co. KG|S.A.|SA|SAS|S.L.|S.r.l.|S.p.A.|B.V.|NV|AB|A/S|ApS|AS|Oy|' +
  'Kft|Sp. z o.o.|s.r.o.|Pty Ltd|Pvt Ltd|LLP|KG|OHG|e.V.|Holdings|Partners|Associates|' +
  'Industries|Technologies|Systems|Solutions|Labs|Analytics|Consulting|Logistics|Media|' +
  'Bank|Insurance|Pharma|Foods|Energy|Motors|Studios|Software|Capital'
).split('|');
const BRAND_HEADS = (
  'Acme|Apex|Blue|Bright|Cedar|Clear|Cloud|Core|Crest|Crystal|Data|Delta|Digital|Eagle|' +
  'East|Echo|Element|Ever|First|Fusion|Global|Golden|Grand|Green|Harbor|High|Hyper|' +
  'Inter|Iron|Key|Lake|Light|Lumen|Metro|Micro|Mountain|National|Neo|Net|New|Next|North|' +
  'Nova|Ocean|Omni|Open|Orion|Pacific|Pine|Pixel|Polar|Prime|Quantum|Rapid|Red|River|' +
  'Royal|Silver|Sky|Smart|Solar|South|Spark|Star|Stone|Summit|Sun|Swift|Tech|Terra|True|' +
  'Ultra|Union|United|Urban|Vertex|Vista|West|White|Wind|Zen'
).split('|');
const BRAND_TAILS = (
  'ware|soft|tech|works|lab|labs|ix|ia|ora|ify|ly|ster|base|point|gate|path|link|net|' +
  'hub|mind|logic|metrics|scape|stream|wave|bridge|field|side|view|line|craft|forge|' +
  'care|med|pay|tuition|vest|trade|grid|cast|dyne|gen|max|on|us|io|ex|era|ant|ent|is|eon'
).split('|');
const INSTITUTIONS = (
  'University of {c}|{c} University|{l} University|{c} General Hospital|St. {g} ' +
  'Hospital|{c} City Council|Bank of {c}|{c} Chamber of Commerce|{c} Museum|{c} Times|' +
  '{c} Tribune|FC {c}|{c} United|{c} City FC|{l} Foundation|{l} Institute|{c} Institute ' +
  'of Technology|Ministry of {n}|Department of {n}|Universität {c}|Stadtwerke {c}|' +
  'Landgericht {c}|Amtsgericht {c}|Sparkasse {c}|{c} Airlines|{c} Police Department|{c} ' +
  'High School|{l} College|{l} & {l} LLP|{l}, {l} and {l}|{l}-{l}|{l} and {l}|{l}, {l} ' +
  '& {l}|{l} Brothers|{l} {s}|{l} {s}|{l} & {l} {s}|{c} {s}|{g} {s}|{l} {h} {s}'
).split('|');
const FIELDS = (
  'Finance|Justice|Health|Education|Defence|Transportation|Labor|Agriculture|Energy|the ' +
  'Interior'
).split('|');

export const createOrgs = (
  lists: Lists,
  { given, surname, city }: Names,
  { pick, chance, integerBelow }: Random,
): (() => string) => {
  const fillForm = (form: string): string =>
    form.replaceAll(/\{(\w)\}/g, (_, key: string) => {
      if (key === 'c') return city();
      if (key === 'l') return surname();
      if (key === 'g') return given();
      if (key === 'n') return pick(FIELDS);
      return pick(key === 's' ? SUFFIXES : BRAND_HEADS);
    });
  const brand = (): string => {
    const head = pick(chance(0.4) ? BRAND_HEADS : lists.latinSurname);
    const joined = chance(0.6) ? head + pick(BRAND_TAILS) : head + pick(BRAND_HEADS).toLowerCase();
    return chance(0.15) ? head + pick(BRAND_HEADS) : joined;
  };
  const org = (): string => {
    const roll = integerBelow(100);
    if (roll < 22) return pick(lists.org);
    if (roll < 40) return brand();
    if (roll < 52) return `${brand()} ${pick(SUFFIXES)}`;
    if (roll < 60) return `${pick(BRAND_HEADS)} ${pick(chance(0.5) ? SUFFIXES : BRAND_HEADS)}`;
    if (roll < 66) {
      const words = `${pick(lists.commonCapital)} ${pick(lists.commonCapital)}`;
      return chance(0.3) ? `${words} ${pick(SUFFIXES)}` : words;
    }
    if (roll < 69)
      return `${pick(lists.commonCapital)}${pick(['', '.com', '.io', ' Group', ' Labs'])}`;
    if (roll < 71)
      return Array.from({ length: 2 + integerBelow(3) }, () =>
        String.fromCharCode(65 + integerBelow(26)),
      ).join('');
    return fillForm(pick(INSTITUTIONS));
  };
  return org;
};

const COURTS = (
  'Bundesgerichtshof|Bundesverfassungsgericht|Bundesarbeitsgericht|Bundessozialgericht|' +
  'Bundesverwaltungsgericht|Bundesfinanzhof|Bundespatentgericht|Europäischer Gerichtshof|' +
  'BGH|BVerfG|BAG|BSG|BVerwG|BFH|BPatG|EuGH|EGMR|DPMA|Deutsches Patent- und Markenamt|' +
  'Landgericht {c}|Amtsgericht {c}|Oberlandesgericht {c}|Verwaltungsgericht {c}|' +
  'Arbeitsgericht {c}|Landesarbeitsgericht {c}|Sozialgericht {c}|Landessozialgericht {c}|' +
  'Finanzgericht {c}|Oberverwaltungsgericht {c}|LG {c}|AG {c}|OLG {c}|VG {c}|ArbG {c}|' +
  'LAG {c}|SG {c}|LSG {c}|FG {c}|{a} Landessozialgericht|{a} Oberverwaltungsgericht|' +
  '{a} Landesarbeitsgericht|{a} Finanzgericht|{a} Landgericht|Landgericht {i}|' +
  'Amtsgericht {i}|Finanzamt {c}|' +
  'Staatsanwaltschaft {c}|Generalbundesanwalt|Landkreis {c}|Bezirksregierung {c}|' +
  'Bundesministerium der Finanzen|Bundesministerium des Innern|Bundesamt für Justiz|' +
  'Bundesagentur für Arbeit|Bundesrat|Bundestag|Bundesregierung|Bundeswehr|Bundesrechnungshof'
).split('|');

const REGIONS = (
  'Bayerisch|Hessisch|Sächsisch|Niedersächsisch|Thüringisch|Brandenburgisch|Badisch|' +
  'Westfälisch|Rheinisch|Schleswig-Holsteinisch|Saarländisch'
).split('|');

/** German courts and authorities, by name or abbreviation, sometimes in the genitive. */
export const createCourts =
  ({ city, initials }: Names, { pick, chance }: Random): (() => string) =>
  () => {
    const isGenitive = chance(0.4);
    const name = pick(COURTS)
      .replace('{c}', city)
      .replace('{i}', initials)
      .replace('{a}', () => `${pick(REGIONS)}${isGenitive ? 'en' : 'es'}`);
    return isGenitive
      ? name.replace(/(?:gericht|amt|hof|ministerium|rat|tag)(?![\p{L}])/u, '$&s')
      : name;
  };
