#!/usr/bin/env perl
# Big Money in Perl: a template for a bot in Perl 5.
#
# Build: not necessary. JSON::PP comes with Perl.
# Run:   referee play "perl big_money.pl" big_money
#
# It makes the same decisions as big_money.py: it buys provinces, gold and silver, never actions.

use strict;
use warnings;
use JSON::PP ();

my %WORTH = (copper => 1, silver => 2, gold => 3);
my @PRICES = (['province', 8], ['gold', 6], ['silver', 3]);    # cards to buy, best first

# If the bot is attacked, it discards cards with low numbers first.
# Unknown cards come between copper and silver.
my %KEEP = (
    curse  => 0, estate => 0, duchy => 0, province => 0,
    copper => 1, silver => 3, gold  => 4,
);
my $KEEP_OTHERS = 2;

my $json   = JSON::PP->new->utf8;
my %supply = ();

# Returns the cards to buy. Each buy goes to the best card that is still affordable.
sub choose_buys {
    my ($money, $buys) = @_;
    my %left   = %supply;
    my @bought = ();
    while (@bought < $buys) {
        my ($best) = grep { $_->[1] <= $money && ($left{$_->[0]} // 0) > 0 } @PRICES;
        last unless $best;
        push @bought, $best->[0];
        $money -= $best->[1];
        $left{$best->[0]}--;
    }
    return \@bought;
}

sub play_turn {
    my ($message) = @_;
    return {type => 'play-reply', phase => 'cleanup'} if $message->{buys} <= 0;
    my @treasures = grep { exists $WORTH{$_} } @{$message->{hand}};
    my $money     = $message->{extra_money};
    $money += $WORTH{$_} for @treasures;
    return {
        type             => 'play-reply',
        phase            => 'buy',
        played_treasures => \@treasures,
        cards_to_buy     => choose_buys($money, $message->{buys}),
    };
}

sub attack_reply {
    my ($message) = @_;
    my @options = @{$message->{options}};

    # Compare positions, too, so that equal cards keep their order.
    my @keep  = map  { $KEEP{$_} // $KEEP_OTHERS } @options;
    my @order = sort { $keep[$a] <=> $keep[$b] || $a <=> $b } 0 .. $#options;
    my @first = grep { defined } @order[0 .. $message->{discard} - 1];
    return {type => 'attack-reply', discard => [@options[@first]]};
}

# Handles one message. Returns the reply, or undef if the message needs none.
sub handle {
    my ($message) = @_;
    my $type = $message->{type};
    return undef if !defined $type;
    if ($type eq 'player-name-request') {
        return {
            type          => 'player-name-reply',
            player_number => $message->{player_number},
            name          => 'Big Money (Perl)',
            version       => 1,
            keep_alive    => JSON::PP::true,
        };
    }
    if ($type eq 'supply-info') {
        %supply = map { $_->{card} => $_->{count} } @{$message->{cards}};
        return undef;
    }
    return play_turn($message)    if $type eq 'play-turn';
    return attack_reply($message) if $type eq 'attack-request';
    return undef;    # news, or a type that is newer than this bot
}

# We bypass Perl's buffer, so there is nothing to flush. Also, Perl cannot fail at exit because of
# buffered data when the referee is gone.
sub send_line {
    my ($bytes) = @_;
    while (length $bytes) {
        my $written = syswrite STDOUT, $bytes;
        exit 0 if !defined $written;
        substr $bytes, 0, $written, '';
    }
    return;
}

$SIG{PIPE} = 'IGNORE';
binmode STDIN;
binmode STDOUT;
while (defined(my $line = <STDIN>)) {
    my $message = eval { $json->decode($line) };
    next if ref $message ne 'HASH';    # not from the referee
    my $reply = handle($message);
    send_line($json->encode($reply) . "\n") if defined $reply;
}
exit 0;
