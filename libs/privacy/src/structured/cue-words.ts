/** What the words before a value say that it is. `deny` names keys that are never personal data. */
export type Cue =
  | 'phone'
  | 'card'
  | 'iban'
  | 'national'
  | 'identity'
  | 'tax'
  | 'passport'
  | 'license'
  | 'account'
  | 'birth'
  | 'zip'
  | 'swift'
  | 'mac'
  | 'version'
  | 'deny';

/**
 * Words that announce a value, lower case. Two words joined by `_` stand for a pair and win over a
 * word alone. In scripts without spaces a cue is a pair of characters.
 */
export const CUE_WORDS: Readonly<Record<Cue, string>> = {
  phone: `
    phone phones phonenumber telephone tel tele mobile cell cellphone call calling dial fax sms
    whatsapp hotline contact reach landline pager msisdn voip called caller texted phoned dialed
    dialled voicemail messages_from messages_to calls_from text_me message_me ring_me my_number
    his_number her_number your_number telefon telefonu telefono teléfono telefone téléphone
    telefoon telefonnummer telefonnr handy handynummer mobil mobilnummer mobilnr rufnummer móvil
    movil celular cellulare llamar llame appeler appelez portable chiamare puhelin puhelinnumero
    tlf tlfno komórka komórkowy telefonszám телефон телефону тел мобильный τηλέφωνο κινητό هاتف
    فون 電話 电话 手机 携帯 전화 번호 फ़ोन मोबाइल`,
  card: `
    card cards creditcard debitcard cardnumber ccnumber cc visa mastercard amex maestro pan
    tarjeta carte kreditkarte kartennummer karte kreditkartennummer carta cartão cartao kaart
    kort kortnummer karta karty luottokortti kart карта карты κάρτα 卡号 信用 カー 카드`,
  iban: `iban ibans`,
  national: `
    ssn ssns social_security socialsecurity socialsecuritynumber social_insurance
    national_insurance national_id nationalid national_identification nino itin sosyal
    sozialversicherungsnummer personalausweis ausweisnummer dni nif pesel aadhaar aadhar uidai
    codice_fiscale codicefiscale hetu henkilötunnus personnummer personnr samordningsnummer
    fødselsnummer cpr tckn tc_kimlik kimlik citizen_id bsn burgerservicenummer cpf insee
    sécurité_sociale securite_sociale seguridad_social sozialversicherung rrn cnp egn emšo oib
    snils снилс curp rg 身份 主民 주민`,
  identity: `
    identity identification identitycard identifikation id_number id_no id_card personal_number
    personal_id citizen sin nie nir personalnummer identidad identité identita identità`,
  tax: `
    tin ein vat tax_id taxid tax_number tax_identification taxpayer steuer steuernummer steuerid
    steuer_id vat_id steueridentifikationsnummer idnr ustid nip tfn abn utr cif rfc_fiscal
    partita_iva siret siren inn инн cnpj pan_card nit rut fiscal_code`,
  passport: `
    passport passports passportnumber pasaporte passeport reisepass reisepassnummer passaporto
    passaporte paspoort paszport pas passi pasaport паспорт паспорта διαβατήριο 护照 旅券 여권`,
  license: `
    driver_license drivers_license driver_licence drivers_licence driving_license
    driving_licence driver_s driverslicense driverlicense driverlicence dl dln license licence
    führerschein führerscheinnummer permis patente rijbewijs`,
  account: `
    account accounts acct accountnumber bankaccount bank_account routing aba sort_code sortcode
    konto kontonummer kontonr cuenta compte conto rekening conta rachunek tilinumero счет счёт
    bban clabe bsb`,
  birth: `
    born birth dob birthday birthdate birthdates dateofbirth bday geboren geb geburtsdatum
    geburtstag nacimiento nacido nacida nació naissance né née nascita nato nata nascimento
    nascido nascida geboortedatum födelsedatum född fødselsdato født urodzenia urodzony urodzona
    syntymäaika syntynyt doğum рождения родился родилась γέννησης 生年 出生 生日 생년 생일`,
  zip: `
    zip zips zipcode zip_code postcode postal postalcode plz postleitzahl code_postal
    código_postal postnummer postcodes`,
  swift: `swift bic`,
  mac: `mac macaddress hwaddr ethernet`,
  version: `
    v version versions ver release upgrade upgraded firmware oid section sections chapter clause`,
  deny: `
    order orders tracking trace invoice isbn issn build commit span session sess request req
    error errno code port line lines sku ticket tickets pr pull issue issues epoch timestamp ts
    created createdat updated updatedat offset size bytes length pid tid uid ref reference
    docket case sha md5 digest hash checksum seed id ids lat lon lng latitude longitude status
    ratio total amount price qty quantity page pages row rows count index revision rfc etag key`,
};
