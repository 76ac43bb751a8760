// Written by apps/agents/training/count-words.ts; do not edit.

/** Number of blocks of 60 words in 123 State of the Union addresses, 1900 to 2021. */
export const BLOCK_COUNT = 14911;

/**
 * Number of blocks that contain a term of `splitTerms`, for terms in 20 or more:
 * each count precedes its terms. The addresses are works of the United States Government, in the
 * public domain; counted from stdlib-js/datasets-sotu@3fe128b (PDDL-1.0, contents CC0-1.0).
 */
export const DOCUMENT_COUNTS = `
6531: our 6223: we 4302: i 3946: not 3573: which 3238: nation 3162: all 3073: but 2952: year 2686:
govern 2598: their 2381: american 2371: peopl 2346: stat 2325: can 2304: been 2298: mor 2231:
should 2104: they 2095: must 2084: congress 2033: thes 1888: work 1830: countri 1828: other 1815:
world 1789: now 1771: its 1752: us 1741: so 1738: new 1705: mak 1675: than 1670: who 1648: ther
1590: tim 1576: one 1569: need 1566: do 1543: great 1512: no 1508: america 1463: unit 1425: such
1415: if 1398: them 1322: thos 1302: would 1280: you 1262: law 1251: war 1217: onli 1215: mad
1197: any 1157: everi 1151: increas 1112: power 1093: most 1085: under 1079: last 1060: also 1050:
upon 1042: my 1040: when 1031: help 1024: mani 1015: provid 998: program 996: right 978: feder
964: som 962: continu 955: into 952: peac 950: public 930: what 929: own 926: over 911: good 904:
first out 903: develop 895: busi 887: interest 872: may 870: system 866: economic 859: forc 852:
way 842: polici 831: present 825: act 818: well 811: effort 797: com 794: servic 789: men 785: tak
up 779: through 777: giv 759: becaus 755: securiti 745: her liv 740: about 738: action 736: bill
730: mill 728: gener 724: just 722: part 719: economi propos 718: industri 717: against 715: futur
711: recommend 709: tax 708: protect 699: support 686: legisl 683: job veri 682: plan 667: know
long 666: befor 665: citizen necessari shall 664: fre 663: problem 653: had 643: two 641: hop 638:
meet 635: much without 628: requir 627: mean 621: between his 619: both 609: administr 608: 000
607: hom 606: improv 603: purpos 600: result 596: be let 595: lif opportuniti 591: chang 589:
condit creat 588: depart end 586: better dur 585: build 582: high whil 581: past 579: cost 578:
progress 577: product 576: foreign 570: president 569: even 568: freedom 567: together 566: go
tonight 565: use 563: wher 562: ask fami 560: order 559: day 551: far 544: important 531: militari
530: believ today 527: direct 523: could 522: car 516: pass 515: sam 513: budget establish plac
512: communiti 510: consider 508: internation possibl 505: trad 502: still 501: secur 499: alreadi
494: control 491: children land 490: each lik 487: call 483: rat 481: includ labor 480: am 479:
health 478: he 477: keep reduc 474: get 473: defens 468: me 462: want 454: hous 451: best 450: put
whol 448: next toward 443: after bring 442: full quest 440: certain 439: measur responsibiliti
438: matter sav 437: duti larg 434: achiev 433: strong 432: pay 431: fact say 429: don 426:
resourc 424: agre 423: ever 420: benefit privat 419: among 417: number 416: reform 415: becom your
413: relat 412: pric 411: sinc 408: never reach 404: down 402: school too 401: histori 397: again
educ 395: within 394: cannot 393: agricultur commiss dollar 390: see 389: 1 growth 388: further
union 387: 2 386: man real yet 385: invest 384: individu politic 382: incom maintain report 379:
stand 377: found 375: strength thing 370: another lin 367: worker 366: begin less 365: cut 364:
expenditur speci strengthen 363: ago member 362: clear 361: grow 359: carri cas 358: energi 357:
cours soci 356: prevent 355: advanc principl 353: authoriti encourag near thre 352: back exist
success 351: month remain 350: greater 347: market 346: area justic serv 342: set 341: aid common
concern 340: fac fund 338: commit hand 336: wag 333: given 332: commerc money percent step 331:
small 330: determin 329: human seek 328: open practic 327: employ form 326: civil how look 324:
citi demand proper then 321: challeng court effectiv fight subject 320: offic 319: caus fisc 318:
arm themselv valu 317: taken 316: alway complet 315: prosperiti 314: show 313: expand goal mov
312: deal train 310: enact 309: effect 308: promot 307: recent 305: local method 304: person 303:
limit 301: fair respect spend 300: level 298: point spirit 295: shar 293: abl centuri essenti issu
292: bas doe follow major think 291: extend final lead 290: armi find provis 289: officer 288:
construct second 287: attent term 284: capit messag 282: kind reduct turn welfar 281: amount 280:
executiv 279: cooper 277: republic 276: therefor 275: total 274: hard however prepar treati 273: 3
supp 272: natur women 271: navi permit 270: farmer itself 268: period 267: said 266: self 265:
balanc deficit few whether 264: 5 onc 263: until 262: old sever 260: receiv 259: four produc 258:
farm 257: especial parti 256: field forward 255: island rais 254: alli corpor standard 253: enforc
equal hold 252: expect 251: credit permanent ship third water 250: serious start 249: organ urg
248: adopt 247: half particular 245: settl 244: adequat judg recogniz 243: accomplish 242: bank
friend 241: secretari 240: brought task 239: europ 238: abroad ourselv preserv 236: addition 234:
regard thank 233: might vital 231: attack sound sur weapon 230: agenci oper posit reason soviet
view 229: democraci oblig return 228: 4 227: class 226: assistanc financi join understand 225:
almost burden china 224: importanc 223: desir faith higher revenu stop 222: promis 220: debt whos
219: basic constitut thus 218: efficienci treat 217: decad ought senat 216: crim represent 215:
tru 214: leader 213: child institut 212: materi 211: did 210: estimat process representativ
throughout 209: afford immediat why 208: appropri contribut nuclear 207: assur seem trust 206:
fail grant rul 205: threat unemploy 204: reserv 203: decis domestic 202: danger experienc 201:
compani relief restor submit young 200: 10 activiti conferenc liberti manag record 199: ris 198:
enterpris initiativ washington 196: ahead alon enough exercis insuranc leav 195: differenc
different exampl modern regul singl studi 194: approv transport 193: across project 192: elect
group 191: middl per sess 190: enemi held 189: necessiti 187: basis fellow region 186: affair clos
engag rest 185: competit infl inform learn properti short sid 184: fulli sens 183: readi thousand
182: noth sign 181: east either him lower offer threaten 180: abov capaciti confidenc difficult
steadi 179: away independenc involv least rapid 178: abiliti greatest 177: availabl food 176:
discuss 175: advantag chanc loan off societi 174: age express research test 173: allow commerci
interstat word 172: due entir honor often technologi 171: character depend hundr 170: appoint
earli employe enabl littl 169: affect treasuri 168: bodi combin financ leadership 167: board 166:
moment non speak 165: medic parent wish 164: amend constant unless 163: adjust branch fear negoti
railroad 162: 30 sourc tariff try 161: around fiv 160: current earnest prompt remember 159: colleg
efficient left post surplus 158: objectiv payment 157: beyond conflict mind 156: along moral popul
sufficient 155: gain remov send territori 154: cent conduct suffer 153: chief committe democratic
enter mere renew shown situ veteran 152: addit attempt expens highest qualiti south 151: connect
vot 150: air authoriz evil peace 149: 6 earn longer 148: canal district hour idea low nor
philippin run troop 147: appli charg destroy various 146: drug met oil proud safeti struggl 145:
address 144: comprehensiv ensur feel heart impos jun obtain profit vast 143: aggress annu
communist favor legislativ opin paid skill substanti 142: behind detail except export faciliti
glob prov student urgent 141: difficulti fundament historic neighbor sea tell 140: asia rac realiz
scienc thought 139: expans someth took wealth whatever wis 138: appropriat assist built design
mark 137: account equip mr offici wrong 136: god instead suggest 135: 20 defend press soon wast
134: avoid crisis request retir terrorist week 133: conserv influenc reasonabl saf 132: choic fall
forest hav larger strik 131: assum averag crimin investig 129: 50 approach emergenci ground naval
road 128: begun border eliminat event pacific previous temporari 127: dream funct rather 126:
centr north recoveri 125: claim render 124: convent kept organiz possess 123: 15 aim courag
majoriti port sustain 122: ad doubt easi lov railway republican responsibl river she 121: chamber
invit move similar stronger 120: deep known panama plant seen solut 119: 7 import manufactur solv
succeed u undertak useful 118: 12 big demonstrat head independent japan pursu statut 117: abus
doubl earth extens rural whom 116: talk 115: 100 declar ideal play west 114: bipartisan delay
immigr intend poverti purchas revis stabiliti thorough 113: accept actu applaus choos deserv later
proceed though 112: fix immediate minimum 111: everyth failur happen heavi march pledg prioriti
reward 110: bear bureau consumer contract declin european firm 109: clean degre joint lack rol
sacrific speaker 108: confront honest iraq sent supervis western 107: battl buy guard impossibl
rang revolut 106: access answer broad cover mutu 105: distribut juli loss quick relationship
remedi satisfactori taxpayer 104: indeed instanc poor s 103: 8 coast governor knowledg los miss
safeguard violenc will 102: care chines examin marin operat risk sum whit win 101: 500 cam
destruct diseas disput employer exact happi partnership 100: dat lost main speed wisdom 99:
confident government incentiv teacher vic 98: constitution guarante object perform polic sought
97: began continent corp disaster insur laid privileg troubl 96: alik conclus critic death
desirabl fulfill largest laughter light moreover spac stabl strategic 95: africa although center
divis mass productiv 94: arrang depress hemispher mexico 93: accord decid dispos element former
germani launch mer neither typ victori 92: 25 administrativ circumstanc dangerous deni els everyon
hospit januari otherwis pend simp simpl six 91: add applic break enjoy everywher fourth ly
negotiat resolut shap striv structur 90: campaign command eight korea lay partner rich street
uniti vigorous 89: 21st 9 afghanistan associ bless endeavor indian justifi merit perfect ten 88:
1947 appear environ medicar passag punish resolv transit 87: 40 civilian coverag effective factor
fit mankind terror vessel welcom 86: announc competitiv humaniti ment possibiliti pressur primari
quarter spread tend 85: bond devot engineer kill maintenanc receipt scientific stay stock 84:
anyth aris britain check congression crop democrat nam review september wait 83: 11 1980 abandon
arbitr cooperat digniti equaliti factori got maximum outsid sit teach 82: compens contain highway
procedur recess russia wid 81: allianc constructiv endur merchant proport regular significant
soldier specific truth 80: actual citizenship debat defeat definit dependent education enlarg
flood large rebuild reflect scal seven suprem undertaken 79: coal communic decreas grown guid lot
occas prohibit refus reorgan restraint strategi 78: attain belief fleet kid select visit 77:
convict generous lift perhap sect sector slow soil vietnam 76: attitud cuba damag deliver divid
evidenc extent gun ii occur oppos stimulat ultimate wherever worth 75: cooperativ gon grad inspir
intern legal restrict siz tomorrow 74: activ arma atlantic december era friendship item truli
twenti 73: april columbia existenc fir intent path probab prosperous replac sal voluntari 72: bad
civiliz japanes 71: born careful consistent decent empir indicat jurisdict potenti prosecut 70:
accordanc combat commoditi consequenc custom enhanc finish furnish led unnecessari worthi 69: 1946
agreed becam distinguish entitl healthi key legitimat min missil repeat respons successful sure
68: appe argu collect compet complete discrimin enormous german immigrant liber mil recognit
separat ultimat walk 67: considerabl focus machineri taxat top watch 66: agent diplomatic enlist
exchang gas hear latin net personnel plain prid reliev servant uniform 65: convinc fill gav harbor
integriti manner ordinari told 64: advocat conclud corporat doctrin driv handl harm intelligenc
occup 63: 14 200 author behalf cold door excess extraordinari flow fuel general himself instru
iran mail neglect park peacetim pens princip tool waterway wonder yes 62: 18 administer alaska
compar currenci despit doctor fast ill judici localiti prospect regim respond 61: absolute belong
correct defin emphasiz expert favorabl graduat insist like november peculiar performanc pleas
readjust root senior survey vision went 60: alien barrier illeg lend ocean refer releas technic
tribun violent voic volunteer weak whenever 59: admit close destini execut forget menac observ
participat prevail spent transfer 58: affordabl atomic collectiv draw featur flag obvious partisan
selfish sometim target unprecedent victim wise 57: 60 asid assuranc august commend council entire
felt gratifi inadequat lowest norm oversea owner productiviti read regulat saw substantial
substitut therebi tradit wall woman 56: al ampl chosen closer confer counsel increasing manifest
monetari neighborhood october owe quit reject shift 55: 13 1945 brav complex fash foster goe gulf
irrig overwhelm ownership practical schedul sell spring stak town withdraw 54: approximate art
consolid controversi diplomaci evident forth gather hope monopo reclam search 53: anti empower
exceed expend februari front heard hir ignor master night penalti southern summer tough weaken 52:
concentrat cultur distress elimin explor franc glad introduc massiv mother nato physic realiti
repe shor smaller travel won 51: 16 anyon apparent aspir benefici expir forg fought indispensabl
mistak nevertheless opposit particip popular rank remind shortag stood traffic tremendous unfair
univers worst 50: 300 arriv capabiliti contemplat corrupt cross deposit facilitat fifti hagu
hardship inevitabl interior patient phas seri urban volum wors yield 49: agenda british disciplin
injustic moderat natural outlin pursuit safer season staff trial 48: 35 assert commissioner
consult dead devis earlier excessiv expedit isthmus minister minoriti nativ nicaragua outlay
profound qaida ratifi touch usual 47: 17 alternativ boundari capabl controll daili domin frontier
grav inevitab inspect moderniz oppress overcom religious rout salari son suppl sympathi york zon
46: accompani below california canada discharg eastern elsewher embodi hero innov letter liabiliti
list practicabl prim producer push rehabilit stori utmost viol youth 45: acquir advis charter
climat disorder escap fifth figur fortun incident innocent john memori murder origin presenc
referenc revers sick spiritu unabl uncertainti undu waste 44: 80 apart attorney bargain bound
compass confirm cur embrac filipino fraud impl leas legislatur lie resort retain roll satisfact
senator talent 43: 1900 anywher await black broken cod concept forever frank instruct lat lesson
older proof rico surviv terribl unwis veto warn 42: adapt advic aggressiv assemb bold cabinet
channel classroom colombia communism conscienc content drop easier extrem fruit initiat inquiri
iraqi ladi length mobil mortgag pollut reconstruct reli resum rid sanct scop status tendenci
thirti unfortunate universiti violat 41: 70 90 aliv assembl attend beauti color competent consent
consist consular everybodi excellent experi gross halt hawaii hearti hit hug intelligent
interferenc knew mississippi navig remarkabl rent ruler strain strict 40: 24 anticipat associat
award ban consumpt deem excellenc exclud eye father freight genuin impair improper invas israel
miner mountain notic nurs pain presidenti rescu room satisfi seiz sharp sixti standpoint subsidi
suitabl transact tri tyranni widespread witness 39: 26 400 acr career celebrat chemic continuous
destructiv distant disturbanc exploit guest interpret manufacturer occupi pos prosper stream
valuabl wide 38: 1911 600 adversari ambit book camp complicat consum cruiser diminish earner
educat emerg extensiv gradual heritag hostil injuri interfer preliminari round secret sole solemn
spur strongest transform transmit trill vari writ 37: abid accident banker delegat dependenc
describ disabiliti feed fin flexibiliti gradu immens imperativ itali match model peril speedi stag
swift trend undoubted utter warrant 36: 27 abundant annual articl bar bomb bridg concert condemn
deter discoveri disrupt domain eas emphasis equiti faster fortunat hitherto hostiliti impact
infrastructur liquid math medicin mexican municip needi profess ratific regulatori repeated stamp
tempt tid track twic ty warfar wartim 35: 1909 aggregat aspect battleship brief compos contrari
disposit eager earliest elder exhaust gift gold imagin investigat listen material nin northern
precious progressiv radic recover reinforc repair shot sight 34: 21 75 borrow broaden broader
coalit commander confin confus coordinat deploy disabl disarma economical equitabl folk honorabl
hunger latter meanwhil preced prison relig resist russian sovereignti storm subsequent surround
valley 33: 1899 cash chao conquest dedicat definite discourag disturb excit framework fullest
hamper harmoni homeland illness isolat lock manpower offens porto profitabl reorganiz rigid
simplifi sister theori timber unfortunat weight 32: 22 absolut accelerat awar biggest bureaus
carrier chariti comfort cuban exceeding exposit foot formulat forti french gap generat girl grate
likewis machin offensiv positiv postpon predict prescript profession provinc reckless recruit
refuge sak scor shrink spit spok st sudden terrorism tobacco tradition undermin varieti 31: 1981
arid assault ceas church compell criticism depriv dominat endanger environment especi expensiv
fals foremost frequent imperi inhabitant injunct install legat meant meantim monro numerous
obstacl output planet proven red relativ restrain roosevelt sacr schem seal slightest steel sweep
technologic texa understood uniqu 30: 19 250 abundanc accumulat aircraft alter anniversari assess
asset attract background berlin bigger captur concentr cordi cruci dar dictatorship disregard
distinct drawn engin enrich eventual exclusiv fallen georg heretofor hurt indirect internet
medicaid option prejudic safe san scientist solar soul speech submarin uphold 29: 150 1953 2000 65
abolish admir ag bitter caribbean compromis correspond count creed dealt drastic electric error
extra forgotten hatr intercours loophol midst mount narrow network ow pac patienc paycheck
percentag postmaster pure reconvers secondari sovereign spoken stabiliz terminat turkey unifi
unjust written 28: 1960 adequate arous birth boy bureaucraci counti cris deed defect despair
dictator director discover draft enlighten exhibit folli free inflationari jeopardiz kennedi motiv
plenti preferenc prior quiet react reciproc revolutionari saddam scatter shock sincer sold storag
stress surrender tabl virtual willing wind 27: 1977 acknowledg advisori african allowanc anxious
appreci appreciat arbitrari assign block blow cancer classifi co competitor consolidat d defensiv
demonstr desert deterrent di disadvantag discriminat display dramatical excus incredibl liberat
lincoln locat membership prefer premium prescrib proclaim procur pull qualifi quantiti ruin
shipper someon statutori suppress team tens ton tragedi twelv upward wound 26: 20th 28 absenc
according adher admiss ambitious ancient automobil blind boom creativ dear deliveri dwell eighth
entrepreneur feasibl fisheri flexibl fram gentlemen grain harder idl incur injur lawful link
mandat maritim mechanism panic peak prisoner reaffirm relianc respectiv sailor satellit seventi
significanc sixth star statistic strid suit summit survivor tactic thereof tolerat trib tribut
truck unanimous wherebi worri 25: 45 accountabl adult asian babi blam capitol cloth complaint
computer congratulat consequent convention cotton covenant crippl curtail daughter decenci deduct
disagre disclos dispatch driven exception fastest flourish foolish guidanc handicap heroic imparti
india insurrect intellectu lessen lifetim london loyalti marriag mobiliz notabl offender outstand
pattern presidenci publiciti ration raw realistic recall regardless reve revitaliz senti settler
solid somewhat suppos titl useless vigor wider wrot 24: 1912 1933 700 aggressor artifici b brut
collaps colorado concili decisiv deeper deriv dictat disappear embarrass estat fish forbid
generositi guilti hat impli inaugurat induc ineffectiv inner investor isol journey languag manager
minimiz n needless negro persistent priz responsiv risen steadfast superior throw ventur virtu
wheat 23: addict afghan antitrust arrest attractiv bind blood capitalist celebr chart cherish
cleaner colleagu comment comparative crush deliberat destroyer dishonest displac drought edg entri
equivalent fewer habit heed hussein inheritanc initi interrupt magnitud mighti myself newli
observanc offset patent persian pound probabl protocol reliabl reviv seat shut specifical specul
straight strif struck summon termin thriv triumph undesirabl unfinish utiliz vest vitaliti 22:
1910 1979 1st acceptanc altogether boat breakthrough businessmen categori certificat communicat
coordin coupl dam divers eminent familiar feet foe foreigner formidabl freer fresh furthermor gang
grandchildren height inspector juri king lak landmark meaning modifi momentum municipaliti outcom
p pakistan pan partisanship protectiv regain sergeant southeast squadron stabil stor utiliti
wrongdo 21: 1970 23 36 acut arsen avail badli ballistic c certainti conceiv continuanc cop cry
decre dedic disappoint diversiti egypt eighti embark english erect exempt extremist fifteen floor
fly galleri genius gratitud graz guaranti heal hesitat inequaliti instant instrumentaliti
intervent laborer legaci licens lynch magnificent mob mutual ohio orient paris peru piec postwar
pre prolong protest prudent raci rail reclaim relative resistanc rivalri scholarship sentenc
shoulder spanish therein truman vigilant withhold 20: 11th 1929 1942 1982 31 800 airport
ambassador ascertain austria basin brother candidat cheaper conscious corner counter creditor
defer disastrous dozen dread elementari exert experiment explos founder franklin freez giant grand
haiti haven honesti impress inaugur industrializ infant inherit inland insular integr inter leagu
levi literal majesti neutraliti obsolet optimism paper patrol pictur print proclam prolifer
provision reasonab rebat remot retreat rio shadow shelter shortcom slight sort spain sponsor surg
systematic tech tir tuit unrest wageworker weather worldwid yard yesterday
`;
