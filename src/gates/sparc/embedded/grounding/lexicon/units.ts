/** What a unit measures, and how many of the dimension's base units it is. */
export interface Unit {
  readonly dimension: string
  readonly factor: number
}

const TABLE: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  length: {
    'm meter meters metre metres': 1,
    'km kilometer kilometers kilometre kilometres kms': 1000,
    'cm centimeter centimeters centimetre centimetres': 0.01,
    'mm millimeter millimeters millimetre millimetres': 0.001,
    'um micrometer micrometers micron microns': 1e-6,
    'nm nanometer nanometers': 1e-9,
    'mile miles mi': 1609.344,
    'yard yards yd': 0.9144,
    'foot feet ft': 0.3048,
    'inch inches': 0.0254,
  },
  mass: {
    'kg kilogram kilograms kilo kilos kgs': 1,
    'g gram grams': 0.001,
    'mg milligram milligrams': 1e-6,
    'lb lbs pound pounds': 0.45359237,
    'oz ounce ounces': 0.028349523,
    'ton tons tonne tonnes': 1000,
  },
  time: {
    'second seconds sec secs s': 1,
    'minute minutes min mins': 60,
    'hour hours hr hrs h': 3600,
    'day days': 86_400,
    'night nights': 86_400,
    'week weeks': 604_800,
    'month months': 2_629_800,
    'year years yr yrs': 31_557_600,
    'decade decades': 315_576_000,
    'ms millisecond milliseconds': 0.001,
  },
  volume: {
    'l liter liters litre litres': 1,
    'ml milliliter milliliters millilitre millilitres': 0.001,
    'gallon gallons': 3.785412,
    'cup cups': 0.2365882,
    'tablespoon tablespoons tbsp': 0.01478676,
    'teaspoon teaspoons tsp': 0.00492892,
  },
  data: {
    'byte bytes': 1,
    'kb kilobyte kilobytes': 1000,
    'mb megabyte megabytes': 1e6,
    'gb gigabyte gigabytes': 1e9,
    'tb terabyte terabytes': 1e12,
  },
  speed: { mph: 0.44704, 'kmh kph': 0.2777778, mps: 1 },
  energy: { 'joule joules j': 1, 'kj kilojoule kilojoules': 1000, kcal: 4184, kwh: 3.6e6 },
}

const UNITS = new Map<string, Unit>()
for (const [dimension, units] of Object.entries(TABLE)) {
  for (const [names, factor] of Object.entries(units)) {
    for (const name of names.split(' ')) UNITS.set(name, { dimension, factor })
  }
}

export function unitOf(word: string): Unit | undefined {
  return UNITS.get(word)
}

/** All factors of one dimension, each once. */
export function factorsOf(dimension: string): readonly number[] {
  return FACTORS.get(dimension) ?? []
}

const FACTORS = new Map(
  Object.entries(TABLE).map(([dimension, units]) => [dimension, [...new Set(Object.values(units))]] as const),
)

const PREFIXES: ReadonlyMap<string, number> = new Map([
  ['k', 1e3],
  ['M', 1e6],
  ['G', 1e9],
  ['m', 1e-3],
  ['u', 1e-6],
  ['µ', 1e-6],
  ['μ', 1e-6],
  ['n', 1e-9],
  ['p', 1e-12],
])

/** The factor of a prefix before a unit that is written as a sign: `mH` gives 0.001. */
export function prefixFactor(sign: string): number | undefined {
  return /^[kMGmuµμnp](?:H|F|A|V|W|Hz|J|N|T|C|S|Pa|Ω|Ohm|m|g|s)$/.test(sign) ? PREFIXES.get(sign.charAt(0)) : undefined
}

/** Values that everybody may look up. */
export const CONSTANTS: readonly number[] = [
  9.8, 9.81, 9.80665, 3.14, 3.14159, 2.718, 299_792_458, 3e8, 6.674e-11, 6.626e-34, 8.314, 0.0821, 1.38e-23, 6.022e23,
  8.854e-12, 8.99e9, 9e9, 1.602e-19, 9.109e-31, 1.673e-27, 343, 101_325, 5.67e-8, 1.257e-6, 5.972e24, 273.15, 4186,
]
