SIMULATIONS=$WITAN/v1/sim-engine/simulations
SIMULATION=$(curl -s $SIMULATIONS -H "x-api-key: $KEY" -H "content-type: application/json" \
  -d '{"name":"Next two years","turnUnit":"quarter",
  "companyBase":{"sector":"saas","revenue":2400000,"employees":24,"burn":60000,"cash":1500000}}' \
  | grep -o 'sim_[A-Za-z0-9]*' | head -1)

for SCENARIO in '{"name":"As it goes"}' '{"name":"Recession","parameters":{"gdpGrowth":-2}}'; do
  curl -sw '\n' $SIMULATIONS/$SIMULATION/scenarios -H "x-api-key: $KEY" \
    -H "content-type: application/json" -d "$SCENARIO"
done

for QUARTER in 1 2 3 4 5 6 7 8; do
  curl -s -X POST $SIMULATIONS/$SIMULATION/advance -H "x-api-key: $KEY" \
    | node -pe 'JSON.parse(fs.readFileSync(0)).states.map(({ turn, companyState }) =>
      `quarter ${turn}: cash ${Math.round(companyState.cash / 1000)} thousand`).join("\n")'
done

curl -s -X POST $SIMULATIONS/$SIMULATION/forecast -H "x-api-key: $KEY" > forecast.json
curl -s -X POST $SIMULATIONS/$SIMULATION/finalize -H "x-api-key: $KEY" > report.json
node -pe 'JSON.parse(fs.readFileSync("forecast.json")).forecast.insolvencyProbability'
node -pe 'JSON.parse(fs.readFileSync("report.json")).report.summary'
