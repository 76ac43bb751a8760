import { isWordChar, matchEnd } from '../structured/char-class.ts';
import { type Found, found } from '../structured/scan.ts';
import { isRandom } from './secret-value.ts';

type Prefix = readonly [prefix: string, min: number, form: '' | '!' | '+'];

/**
 * Key prefixes of vendors, each with the minimum number of characters after it. A longer prefix
 * precedes any shorter one that it starts with. `!` means that only letters and digits may follow,
 * because identifiers in programs start the same way; `+` means that base64 follows.
 */
const PREFIXES: readonly Prefix[] = `
  sk-ant-20 sk-proj-20 sk-or-20 sk-lf-20 sk-20 csk-30 sk_live_16 sk_test_16 sk_30! rk_live_16
  rk_test_16 pk_live_16 pk_test_16 ek_live_30 ek_test_30 ghp_30 gho_30 ghu_30 ghs_30
  ghr_30 github_pat_30 glpat-18 gldt-18 glrt-18 glptt-30 glcbt-18 glsoat-18 glft-18 glimt-20
  gloas-40 xoxb-20 xoxp-20 xoxa-20 xoxr-20 xoxs-20 xoxc-20 xoxd-40 xoxe.40 xoxe-20 xapp-20 hf_30
  npm_30 pypi-40 dop_v1_40 doo_v1_40 dor_v1_40 shpat_28 shpss_28 shpca_28 shppa_28 sbp_30
  sb_secret_24 gsk_30 r8_30 nvapi-40 xai-40 pplx-30 tskey-20 dckr_pat_20 dckr_oat_20 lin_api_30
  lin_oauth_30 figd_30 rubygems_40 hvs.24 hvb.60 hvr.24 SG.40 ya29.30 AKIA16 ASIA16 ABIA16 ACCA16
  AIza30 AQ.36 GOCSPX-24 EAAC60! EAAG60! EAAA50! sq0atp-20 sq0csp-40 AGE-SECRET-KEY-1#50 ATATT3x60
  ATCTT3x60 ATBB28! secret_40! ntn_40 PMAK-50 NRAK-24 sntrys_50 sntryu_50 glc_40 glsa_36
  pscale_tkn_30 pscale_pw_30 pscale_oauth_30 fo1_36 fm1_60 fm2_50 rnd_28! vercel_blob_rw_24
  HRKU-30 CLOJARS_50 pa-40! tgp_v1_36 fw_22! esecret_20! jina_40 tvly-24 lsv2_pt_36 lsv2_sk_36
  pcsk_50 e2b_36 xkeysib-60 sl.100 dp.pt.36 dp.st.36 dp.ct.36 dp.sa.36 ico-30! pul-36! EZAK50!
  EZTK50! shippo_live_36 shippo_test_36 access-production-30 access-sandbox-30 LTAI16! AKID30!
  AQVN34! y0_40! sha256~40 sk.eyJ60 CFPAT-40 rdme_60 p8e-30 ops_eyJ100 sqp_36 squ_36 sqa_36 AKCp60
  dt0c01.80 fio-u-60 tfp_50 pat-na1-30 pat-eu1-30 FLWSECK-12 FLWSECK_TEST-12 rzp_live_12
  duffel_live_40 duffel_test_40 pnu_34 bkua_36 CCIPAT_50 nfp_34 phx_40 key_60! live_30! v1.40!
  whsec_20+ tlsec_20+ key-32! SK32! dapi32! oy2#43!
`
  .trim()
  .split(/\s+/)
  .map((entry) => {
    const [, prefix = '', min = '', form = ''] = /^(.*?)#?(\d{2,3})([!+]?)$/.exec(entry) ?? [];
    return [prefix, Number(min), form as Prefix[2]];
  });
/** Match at most 400 characters of a key, and its base64 padding. */
const KEY = /(?:[\w-]|\.(?=[A-Za-z\d])){0,400}/y;
const BASE64_KEY = /[\w+/-]{0,400}={0,2}/y;
/**
 * Prefixes of keys that the scan for digits can miss: they may have no digit, or a special
 * character before the first digit.
 */
const DIGITLESS = ['hf_', 'whsec_', 'tlsec_'];
const CHECKSUM = /^=[0-9A-F]{8}(?!\w)/;
const NON_ALPHANUMERIC = /[^A-Za-z0-9]/;

const PREFIXES_BY_START: readonly (readonly Prefix[] | undefined)[] = indexPrefixes();

export function findKnownKey(text: string, start: number): Found | undefined {
  const first = text.charCodeAt(start);
  const second = text.charCodeAt(start + 1);
  const candidates =
    first < 128 && second < 128 ? PREFIXES_BY_START[first * 128 + second] : undefined;
  if (candidates === undefined || (start > 0 && text.charCodeAt(start - 1) === 0x2d))
    return undefined;
  for (const [prefix, min, form] of candidates) {
    if (!text.startsWith(prefix, start)) continue;
    const from = start + prefix.length;
    const end = matchEnd(text, from, form === '+' ? BASE64_KEY : KEY);
    if (end - from < min) continue;
    const rest = text.slice(from, end);
    if (!isRandom(rest) || (form === '!' && NON_ALPHANUMERIC.test(rest))) continue;
    // Some Atlassian keys end in `=` and a checksum, which belongs to the key.
    const check = CHECKSUM.test(text.slice(end, end + 10)) && prefix.startsWith('AT');
    return found(start, check ? end + 9 : end, 'SECRET');
  }
  return undefined;
}

/** Finds keys of `DIGITLESS` prefixes in the whole text, in ascending order. */
export function findDigitlessKeys(text: string): Found[] {
  const keys: Found[] = [];
  for (const prefix of DIGITLESS) {
    let offset = text.indexOf(prefix);
    for (; offset >= 0; offset = text.indexOf(prefix, offset + 1)) {
      const key = isWordChar(text.charCodeAt(offset - 1)) ? undefined : findKnownKey(text, offset);
      if (key !== undefined) keys.push(key);
    }
  }
  return keys.length > 1 ? keys.toSorted((a, b) => a.start - b.start) : keys;
}

function indexPrefixes(): readonly (readonly Prefix[] | undefined)[] {
  const table = Array.from({ length: 128 * 128 }, (): Prefix[] | undefined => undefined);
  for (const entry of PREFIXES) {
    const slot = entry[0].charCodeAt(0) * 128 + entry[0].charCodeAt(1);
    table[slot] = [...(table[slot] ?? []), entry];
  }
  return table;
}
