//! Numbers and times in log text.

use crate::text::Text;

pub const SECOND: i64 = 1_000_000_000;

const MONTHS_LONGEST: usize = 7;

/// A decimal number in nano-units, and how it was written.
#[derive(Clone, Copy)]
pub struct Decimal {
    pub nanos: i64,
    pub digits: i64,
    pub end: usize,
}

impl Text<'_> {
    #[inline(always)]
    fn digit(self, p: usize) -> Option<i64> {
        let digit = self.byte(p).wrapping_sub(b'0');
        (digit <= 9).then_some(i64::from(digit))
    }

    #[inline(always)]
    pub fn is_digit(self, p: usize) -> bool {
        self.byte(p).is_ascii_digit()
    }

    /// The value of digits with an optional sign, at most 18 of them, and the position behind.
    #[inline]
    pub fn integer(self, p: usize, e: usize) -> Option<(i64, usize)> {
        let text = self.between(p, e);
        let digits = text.strip_prefix(b"-").unwrap_or(text);
        let sign = text.len() - digits.len();
        let (mut value, mut length): (i64, usize) = (0, 0);
        for c in digits {
            let digit = c.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(i64::from(digit));
            length += 1;
        }
        if length == 0 || length > 18 {
            return None;
        }
        Some((if sign > 0 { -value } else { value }, p + sign + length))
    }

    /// A decimal number.
    ///
    /// The server prints seconds and nanoseconds apart: '-161634.769' is -161634 + 0.769. A
    /// fraction of exactly ten digits is a nanosecond count padded by one zero too many (389 DS
    /// 1.3.7-1.4.1, and ABANDON lines of every version).
    #[inline]
    pub fn decimal(self, p: usize, e: usize) -> Option<Decimal> {
        self.nine_digits(p, e).or_else(|| self.any_decimal(p, e))
    }

    /// '0.000126358', as servers that have nanoseconds print nearly all of them.
    #[inline(always)]
    fn nine_digits(self, p: usize, e: usize) -> Option<Decimal> {
        let text: &[u8; 11] = self.between(p, e).first_chunk()?;
        let (whole, last) = (text[0].wrapping_sub(b'0'), text[10].wrapping_sub(b'0'));
        let end = p + 11;
        if whole > 9 || text[1] != b'.' || last > 9 || (end < e && self.is_digit(end)) {
            return None;
        }
        let fraction = self.eight_digits(p + 2)? * 10 + i64::from(last);
        Some(Decimal { nanos: i64::from(whole) * SECOND + fraction, digits: 9, end })
    }

    fn any_decimal(self, p: usize, e: usize) -> Option<Decimal> {
        let (whole, mut q) = self.integer(p, e)?;
        if whole.abs() > 9_000_000_000 {
            return None;
        }
        if q >= e || self.byte(q) != b'.' {
            return Some(Decimal { nanos: whole * SECOND, digits: 0, end: q });
        }
        q += 1;
        let start = q;
        let mut fraction: i64 = 0;
        if q + 8 <= e {
            if let Some(value) = self.eight_digits(q) {
                fraction = value;
                q += 8;
            }
        }
        while q < e && q - start < 18 {
            let Some(digit) = self.digit(q) else { break };
            fraction = fraction * 10 + digit;
            q += 1;
        }
        let digits = q - start;
        if digits == 0 {
            return None;
        }
        for _ in digits..9 {
            fraction *= 10;
        }
        if digits > 10 {
            for _ in 9..digits {
                fraction /= 10;
            }
        }
        Some(Decimal { nanos: whole * SECOND + fraction, digits: digits as i64, end: q })
    }

    /// The number that eight bytes spell.
    #[inline(always)]
    pub fn eight_digits(self, p: usize) -> Option<i64> {
        const HIGH: u64 = 0xF0F0_F0F0_F0F0_F0F0;
        const ZEROS: u64 = 0x3030_3030_3030_3030;
        const PAIRS: u64 = 0x0000_00FF_0000_00FF;
        let text = self.word(p);
        let above = text.wrapping_add(0x0606_0606_0606_0606);
        if text & HIGH != ZEROS || above & HIGH != ZEROS {
            return None;
        }
        let text = text - ZEROS;
        let text = text.wrapping_mul(10).wrapping_add(text >> 8);
        let upper = (text & PAIRS).wrapping_mul(0x000F_4240_0000_0064);
        let lower = ((text >> 16) & PAIRS).wrapping_mul(0x0000_2710_0000_0001);
        Some((upper.wrapping_add(lower) >> 32) as i64)
    }

    #[inline]
    pub fn two_digits(self, p: usize) -> Option<i64> {
        Some(self.digit(p)? * 10 + self.digit(p + 1)?)
    }

    /// Seconds of a day from 'HH:MM:SS'. Leap second 60 is allowed.
    #[inline]
    pub fn clock(self, p: usize, e: usize) -> Option<i64> {
        if p + 8 > e || self.byte(p + 2) != b':' || self.byte(p + 5) != b':' {
            return None;
        }
        let hour = self.two_digits(p)?;
        let minute = self.two_digits(p + 3)?;
        let second = self.two_digits(p + 6)?;
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        Some(hour * 3600 + minute * 60 + second)
    }

    /// Nanoseconds of '.123' or ',123', and the position behind; 0 and p if there is none.
    #[inline]
    pub fn fraction_ns(self, p: usize, e: usize) -> (i64, usize) {
        if p >= e || (self.byte(p) != b'.' && self.byte(p) != b',') {
            return (0, p);
        }
        let mut q = p + 1;
        let (mut value, mut count) = (0, 0);
        if q + 8 <= e {
            if let Some(eight) = self.eight_digits(q) {
                (value, count, q) = (eight, 8, q + 8);
            }
        }
        while q < e {
            let Some(digit) = self.digit(q) else { break };
            if count < 9 {
                value = value * 10 + digit;
                count += 1;
            }
            q += 1;
        }
        for _ in count..9 {
            value *= 10;
        }
        (value, q)
    }

    /// Seconds east of UTC of 'Z', '+HHMM' or '+HH:MM', and the position behind.
    #[inline]
    pub fn zone_seconds(self, p: usize, e: usize) -> Option<(i64, usize)> {
        if p < e && self.byte(p) == b'Z' {
            return Some((0, p + 1));
        }
        let sign = self.byte(p);
        if p + 5 > e || (sign != b'+' && sign != b'-') {
            return None;
        }
        let q = if self.byte(p + 3) == b':' { p + 4 } else { p + 3 };
        if q + 2 > e {
            return None;
        }
        let (hour, minute) = (self.two_digits(p + 1)?, self.two_digits(q)?);
        if hour > 18 || minute > 59 {
            return None;
        }
        let seconds = hour * 3600 + minute * 60;
        Some((if sign == b'-' { -seconds } else { seconds }, q + 2))
    }

    /// A month's name, as `Months` has it: its first bytes in lower case.
    pub fn month_name(self, p: usize, length: usize) -> u64 {
        (0..length.min(MONTHS_LONGEST))
            .fold(0, |name, i| name | u64::from(self.byte(p + i).to_ascii_lowercase()) << (8 * i))
    }
}

/// The names of months in the languages that logs are written in.
pub struct Months(Vec<(u64, i64)>);

impl Months {
    /// Names in lower case, each with its number from 1 on.
    pub fn new<'n>(names: impl IntoIterator<Item = (&'n str, i64)>) -> Self {
        let name = |text: &str| {
            text.bytes()
                .take(MONTHS_LONGEST)
                .enumerate()
                .fold(0, |name, (i, c)| name | u64::from(c) << (8 * i))
        };
        let mut months: Vec<_> =
            names.into_iter().map(|(text, month)| (name(text), month)).collect();
        months.sort_unstable();
        Self(months)
    }

    /// 1..12 of a name; case does not count.
    pub fn number(&self, name: u64) -> Option<i64> {
        let place = self.0.binary_search_by_key(&name, |month| month.0).ok()?;
        Some(self.0[place].1)
    }
}

/// Whether a log may be of a year: 64 bits of nanoseconds since 1970 end in 2262.
pub fn is_year(year: i64) -> bool {
    (1970..=2099).contains(&year)
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
pub fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let shifted = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * shifted + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}
