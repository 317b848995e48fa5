// Writes casl-vectors.json: random rules, questions, and the answers of the real @casl/ability (7.0.1).
//   node casl-vectors.mjs PATH_OF_CASL_ABILITY > casl-vectors.json
// PATH_OF_CASL_ABILITY is a CommonJS bundle that exports createMongoAbility, subject, packRules and unpackRules.
import { createRequire } from 'node:module';

const casl = createRequire(import.meta.url)(process.argv[2]);
let state = 20261125;
const random = (n) => ((state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) >>> 8) % n;
const one = (list) => list[random(list.length)];
const some = (list) => list.filter(() => random(3) === 0);
const chance = (percent) => random(100) < percent;

const actions = ['UNLOCK', 'LOCK', 'read', 'device.change', 'manage'];
const subjects = ['LockDevice', 'Property', 'Gateway', 'all'];
const ids = ['a', 'b', 'c'];
const fields = ['name', 'state', 'address', 'lockdown.active', 'lockdown'];
const atLeastOne = (list) => { const chosen = some(list); return chosen.length ? chosen : [one(list)]; };
const oneOrMany = (list) => chance(40) ? one(list) : atLeastOne(list);

const condition = () => one([
  () => ({ id: one(ids) }),
  () => ({ id: { $in: atLeastOne(ids) } }),
  () => ({ id: { $nin: some(ids) } }),
  () => ({ propertyId: { $eq: one(ids) } }),
  () => ({ propertyId: { $ne: one(ids) } }),
  () => ({ propertyId: null }),
  () => ({ isRemoteOperationEnabled: chance(50) }),
  () => ({ capabilities: { $nin: [one(['LOCK', 'UNLATCH'])] } }),
  () => ({ capabilities: { $in: [one(['LOCK', 'UNLATCH'])] } }),
  () => ({ capabilities: one(['LOCK', 'UNLATCH']) }),
  () => ({ unitId: { $exists: chance(50) } }),
  () => ({ 'lockdown.active': chance(50) }),
  () => ({ batteryLevel: one([0, 50, 100]) }),
  () => ({}),
])();

const rule = () => {
  const made = { action: oneOrMany(actions), subject: oneOrMany(subjects) };
  if (chance(60)) made.conditions = chance(70) ? condition() : { ...condition(), ...condition() };
  if (chance(25)) made.fields = atLeastOne(fields);
  if (chance(30)) { made.inverted = true; if (chance(60)) made.reason = one(['lockdown_active', 'capability_missing']); }
  return made;
};
const object = () => {
  const made = {};
  if (chance(90)) made.id = one(ids);
  if (chance(60)) made.propertyId = chance(15) ? null : one(ids);
  if (chance(40)) made.unitId = chance(20) ? null : one(ids);
  if (chance(60)) made.isRemoteOperationEnabled = chance(50);
  if (chance(70)) made.capabilities = some(['LOCK', 'UNLATCH', 'DOOR']);
  if (chance(40)) made.lockdown = { active: chance(50) };
  if (chance(40)) made.batteryLevel = one([0, 50, 100]);
  return made;
};

const worlds = [];
for (let n = 0; n < 220; n++) {
  const rules = Array.from({ length: random(6) }, rule);
  const ability = casl.createMongoAbility(structuredClone(rules));
  const questions = Array.from({ length: 8 }, () => {
    const [action, type] = [one([...actions, 'unknown']), one(subjects)];
    const target = chance(75) ? object() : null;
    const field = chance(30) ? one(fields) : null;
    const asked = target === null ? type : casl.subject(type, structuredClone(target));
    const decided = ability.relevantRuleFor(action, asked, field ?? undefined);
    const question = { a: action, s: type, r: ability.can(action, asked, field ?? undefined) };
    if (target !== null) question.o = target;
    if (field !== null) question.f = field;
    if (decided) question.i = rules.findIndex((_, i) => ability.rules[i] === decided.origin);
    return question;
  });
  const packed = casl.packRules(rules);
  const unpacked = casl.createMongoAbility(casl.unpackRules(JSON.parse(JSON.stringify(packed))));
  for (const q of questions) {
    const asked = q.o === undefined ? q.s : casl.subject(q.s, structuredClone(q.o));
    if (unpacked.can(q.a, asked, q.f) !== q.r) throw new Error('packing changed an answer');
  }
  worlds.push(JSON.stringify({ rules, packed, questions }));
}
process.stdout.write('[\n' + worlds.join(',\n') + '\n]\n');
