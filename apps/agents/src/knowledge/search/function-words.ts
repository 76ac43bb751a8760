/**
 * Function words of common European languages, which a search ignores unless the query has no other
 * words. In a large collection their frequency would show that they carry no meaning, but in a
 * small one every word is rare.
 */
const WORDS = `
  a about all also am an and any are as at be been but by can could did do does for from had has
  have he her his how i if in into is it its may me might must my no not of on or our shall she
  should so some than that the their them then there these they this those to too us was we were
  what when where which who whom whose why will with would you your aber als am an auch auf aus
  bei bin bis das dass dem den der des die doch du ein eine einem einen einer es fur hat haben
  ich ihr ihre im in ist ja kann mich mir mit nach nicht noch nur oder sein sich sie sind so
  soll uber um und uns unser von vor wann war warum was wenn wer werden wie wir wird wo zu zum
  zur au aux avec c ce ces cette comment d dans de des du elle en est et eux il ils j je l la le
  les leur lui m ma mais me mes mon n ne nos notre nous on ou par pas pour qu quand que quel
  quelle qui s sa se ses son sont sur ta te tes tu un une vos votre vous y al como con cual
  cuando de del donde el ella en entre era es esta este esto ha hay la las le lo los mas mi muy
  no nos o para pero por porque que quien se ser si sin sobre son su sus te tiene un una y ya yo
  ai alla anche che chi ci col come da dal dalla degli dei del della di dove e gli ho i il io ma
  nel nella non per piu quando quanto se sono su sul tra un uno vi ao aos as com como da das do
  dos e ela ele eles em essa esse eu foi isso ja mais mas meu na nas nem no nos o os ou para
  pela pelo por qual quando que quem sao se sem seu sua suas tem um uma voce aan al als bij dan
  dat de die dit door een en er geen haar had heb heeft het hij hoe hun ik in is je kan maar met
  mijn naar niet nog of om onder ook op over te tot u uit van veel voor waar wat we wel werd wie
  wij zal ze zich zij zijn zo zou
`;

export const FUNCTION_WORDS: ReadonlySet<string> = new Set(WORDS.trim().split(/\s+/));
